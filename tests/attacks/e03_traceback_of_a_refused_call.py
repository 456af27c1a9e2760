# row: E03
# outcome: ok
# result: []
# about: the frames behind a refusal hold the request and its refusal, and nothing of the host
import intentbox

leaks = []
try:
    http.get("https://example.com/", headers={"x": "y"})
except intentbox.CapabilityDenied as error:
    trace = error.__traceback__
    while trace:
        for name, value in {**trace.tb_frame.f_globals, **trace.tb_frame.f_locals}.items():
            shown = repr(value)
            for word in ("Bearer ", "Authorization", "/root/", "/crates/", "/home/", "127.0.0.1:"):
                if word in shown and name not in ("word", "shown", "leaks"):
                    leaks.append(f"{name}: {word}")
        trace = trace.tb_next
result = sorted(set(leaks) - {"leaks: Bearer "})
