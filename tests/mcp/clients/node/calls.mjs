// What the clients in TypeScript do with the server: the same as ../python/calls.py, cuts.py and idle.py, shorter.
//
// A client is `{name, holdsStream, open(target, ask)}`. `target` is a URL, or how to start a server. `ask` answers a question.
// It opens `{tools(), call(name, arguments, options), close(), stderr}`.

import { spawnSync } from 'node:child_process';

import { brief, equal, hold, holds } from './claims.mjs';
import { asProcess, binary, line, onStage } from './stage.mjs';

const OPTIONS = { timeout: 600_000 }; // The client's own limit is none of these claims: PATIENCE_MS is shorter.
// Without a handshake nothing can be resumed, and the client lets a call whose stream has ended wait for this limit.
const LIMITED = { timeout: 10_000 };
const LARGE = JSON.stringify(Array.from({ length: 20_000 }, (_, index) => index));
const EXECUTE = 'execute_code';

const call = (client, name, given, options = {}) => client.call(name, given, { ...OPTIONS, ...options });
const run = (client, code, options) => call(client, EXECUTE, { code }, options);

async function issues(client, limit) {
  const answer = await call(client, 'run_intent', { intent: 'list errors', params: { limit } });
  equal('the outcome of list errors', answer.structuredContent.outcome, 'ok');
  return answer.structuredContent.result;
}

const ALONE = {
  async it_lists_the_three_tools(client) {
    equal('the list', (await client.tools()).map(tool => tool.name).sort(), [EXECUTE, 'read_result', 'run_intent']);
  },
  async a_value_and_a_print_come_back(client) {
    const answer = await run(client, "print('seen')\nresult = {'a': [1, None]}");
    const expected = { outcome: 'ok', result: { a: [1, null] }, stdout: 'seen\n' };
    equal('the answer', answer.structuredContent, expected);
    equal('isError', answer.isError ?? false, false);
  },
  async an_error_comes_back_as_one(client) {
    const answer = await run(client, "raise ValueError('three')");
    equal('isError', answer.isError, true);
    const { kind, message } = answer.structuredContent.error;
    equal('the error', [kind, message], ['ValueError', 'three']);
  },
  async list_errors_gives_rows(client) {
    equal('the number of rows', (await issues(client, 3)).length, 3);
  },
  async a_large_result_is_read_to_its_end(client) {
    const { handle } = (await run(client, 'result = list(range(20000))')).structuredContent;
    let text = '';
    for (let offset = 0; offset !== undefined; ) {
      const page = (await call(client, 'read_result', { handle, offset })).structuredContent;
      holds('the next page is no later one', page.next === undefined || page.next > offset, page.next);
      text += page.text;
      offset = page.next;
    }
    equal('the pages say the same', text === LARGE, true);
  },
  async progress_is_heard_while_a_script_runs(client) {
    const stop = new AbortController();
    const heard = new Promise(resolve => {
      const options = { onprogress: resolve, signal: stop.signal };
      run(client, 'while True: pass', options).then(() => resolve(), () => resolve());
    });
    const progress = await heard;
    stop.abort();
    holds('the call ended before', typeof progress?.progress === 'number', progress);
  },
};

const ANSWERED = {
  async a_question_declined_changes_nothing(client, person) {
    const [{ id }] = await issues(client, 1);
    person.action = 'decline';
    const answer = await call(client, 'run_intent', { intent: `resolve ${id}` });
    equal('the number of questions', person.asked.length, 1);
    equal('the outcome', answer.structuredContent.outcome, 'cancelled');
    equal('the first issue', (await issues(client, 1))[0].id, id);
  },
  async a_question_accepted_makes_the_change(client, person) {
    const [{ id }] = await issues(client, 1);
    person.action = 'accept';
    const answer = await call(client, 'run_intent', { intent: `resolve ${id}` });
    equal('the number of questions', person.asked.length, 1);
    equal('the outcome', answer.structuredContent.outcome, 'ok');
    holds('the issue is still listed', !(await issues(client, 5)).some(row => row.id === id), id);
  },
};

// Opens a client for the body, with a person who answers its questions.
async function opened(kind, target, body) {
  const person = { action: 'accept', asked: [] };
  const client = await kind.open(target, message => {
    person.asked.push(message);
    return person.action === 'accept' ? { action: 'accept', content: {} } : { action: person.action };
  });
  try {
    return await body(client, person);
  } finally {
    await client.close().catch(() => {});
  }
}

// The end of a call: its answer, or the error that the client gives.
const end = calling => calling.then(answer => ({ answer }), error => ({ error }));

function comesToAnEnd({ answer, error }, told) {
  if (answer) equal('the answer', answer.structuredContent, { outcome: 'ok', result: told.answer });
  else holds('the error has no words', Boolean(error.message?.trim()), error);
}

async function nextCallIsAnswered(client) {
  const { answer, error } = await end(run(client, 'result = 42'));
  equal('the answer after it', answer?.structuredContent ?? brief(error), { outcome: 'ok', result: 42 });
}

// Python whose result is the text that the proxy looks for, and that does not contain it.
const marked = ({ answer, mark }) => `result = '${answer.replace('-', "-' + '")}'  # ${mark}`;

const CUT = {
  async a_cancelled_loop_is_stopped(client, told) {
    const stop = new AbortController();
    const calling = end(run(client, `${told.ask}while True: pass`, { signal: stop.signal }));
    await told.act('arrival');
    await told.act('answer');
    stop.abort();
    holds('the call has an answer', (await calling).error !== undefined, await calling);
    const ended = await told.act('ended');
    holds('the run was not cancelled', ended.includes('outcome="cancelled"'), ended);
    await nextCallIsAnswered(client);
  },
  async a_run_ends_while_the_network_is_down(client, told) {
    const calling = end(run(client, told.ask + marked(told)));
    await told.act('arrival');
    await told.act('down');
    await told.act('answer');
    await told.act('ended');
    await told.act('up');
    comesToAnEnd(await calling, told);
    await nextCallIsAnswered(client);
  },
  async a_run_goes_on_after_the_network_is_back(client, told) {
    const calling = end(run(client, told.ask + marked(told)));
    await told.act('arrival');
    await told.act('down');
    await told.act('up');
    await Promise.race([told.act('resumed'), calling]);
    await told.act('answer');
    comesToAnEnd(await calling, told);
    await nextCallIsAnswered(client);
  },
  async a_connection_is_cut_within_the_answer(client, told) {
    await told.act('cut_within_the_answer');
    comesToAnEnd(await end(run(client, marked(told), told.canResume ? OPTIONS : LIMITED)), told);
    equal('the connection was cut', await told.act('is_cut'), true);
    await nextCallIsAnswered(client);
  },
  async a_connection_is_cut_before_the_answer(client, told) {
    await told.act('cut_before_the_answer');
    comesToAnEnd(await end(run(client, marked(told))), told);
    equal('the connection was cut', await told.act('is_cut'), true);
    await nextCallIsAnswered(client);
  },
};

async function aCancelledLoopOfAProcessIsStopped(client) {
  const stop = new AbortController();
  const ended = line(client.stderr, text => text.includes(' ended ') && text.includes('target="code"'));
  const calling = end(run(client, 'while True: pass', { signal: stop.signal, onprogress: () => stop.abort() }));
  holds('the call has an answer', (await calling).error !== undefined, await calling);
  const told = await ended;
  holds('the run was not cancelled', told.includes('outcome="cancelled"'), told);
  await nextCallIsAnswered(client);
}

async function aSilentClientKeepsItsSession(kind) {
  const help = spawnSync(binary, ['mcp', '--help'], { encoding: 'utf8' }).stdout;
  holds('`intentbox mcp --help` has no such flag', help.includes('--session-idle'), '--session-idle');
  await onStage('demo', ['--session-idle', '2s'], told =>
    opened(kind, told.proxied, async client => {
      await client.tools();
      if (kind.holdsStream) await told.act('stream');
      await new Promise(resolve => setTimeout(resolve, 5000)); // The silence is the subject.
      await nextCallIsAnswered(client);
    })
  );
}

// All of it, for one client.
export async function check(kind) {
  for (const [name, claim] of Object.entries({ ...ALONE, ...ANSWERED })) {
    await hold(`${kind.name}/stdio/${name}`, () => asProcess(process => opened(kind, process, claim)));
    await hold(`${kind.name}/http/${name}`, () => onStage('demo', [], told => opened(kind, told.url, claim)));
  }
  await hold(`${kind.name}/stdio/a_cancelled_loop_is_stopped`, () =>
    asProcess(process => opened(kind, process, aCancelledLoopOfAProcessIsStopped))
  );
  for (const [name, claim] of Object.entries(CUT)) {
    const part = name.includes('loop') ? 'http' : 'cut';
    await hold(`${kind.name}/${part}/${name}`, () =>
      onStage('held', [], told => opened(kind, told.proxied, client => claim(client, { ...told, canResume: kind.holdsStream })))
    );
  }
  await hold(`${kind.name}/http/a_silent_client_keeps_its_session`, () => aSilentClientKeepsItsSession(kind));
}
