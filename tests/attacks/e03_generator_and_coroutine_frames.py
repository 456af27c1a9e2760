# row: E03
# outcome: ok
# result: []
# about: gi_frame.f_back, cr_frame and ag_frame lead to the script's own frames only
leaks = []


def see(frame):
    while frame:
        if frame.f_globals is not globals():
            leaks.append(frame.f_code.co_filename)
        frame = frame.f_back


def generator():
    see(me.gi_frame.f_back)
    yield me.gi_frame.f_back


me = generator()
for frame in me:
    see(frame)


async def coroutine():
    see(co.cr_frame)


co = coroutine()
try:
    co.send(None)
except StopIteration:
    pass
result = leaks
