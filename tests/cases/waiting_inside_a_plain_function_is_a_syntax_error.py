# outcome: syntax_error
# message: 'await' outside async function (waiting_inside_a_plain_function_is_a_syntax_error.py, line 8)

import asyncio


def wait():
    await asyncio.sleep(0)


await asyncio.sleep(0)
