# row: E13
# outcome: ok
# result: []
# about: names in other scripts, bidirectional marks and rot13 sources normalize to the same powerless functions
import codecs

leaks = []
needle = "".join(["canary", "-7f3a"])
for source in (
    "𝔬𝔭𝔢𝔫('/etc/passwd')",
    "__𝒾𝓂𝓅ℴ𝓇𝓉__('os').environ['HOME']",
    "ｅｖａｌ('ｏｐｅｎ(\"/etc/passwd\")')",
    "#\u202e\u2066 harmless\nopen('/etc/passwd')",
    codecs.decode("vzcbeg bf; bf.raiveba['UBZR']", "rot13"),
    "exec(bytes.fromhex('6f70656e28272f6574632f7061737377642729'))",
    "getattr(__import__('\\x6f\\163'), 'sys' + 'tem')('id')",
    "(lambda _: _('so'[::-1]).environ['PATH'])(__import__)",
    "type('', (), {'__getattr__': lambda s, n: open('/etc/' + n)})().passwd",
    "[*map(open, ['/proc/self/environ'])]",
    "__builtins__.__dict__['op' 'en']('/etc/hostname') if hasattr(__builtins__, '__dict__') else __builtins__['open']('/etc/hostname')",
):
    try:
        exec(source, {})
        leaks.append(source[:20])
    except BaseException:
        pass
result = leaks
