# row: E06
# outcome: ok
# result: []
# about: arguments, flags and paths of the program do not show the host's command line or folders
import sys, sysconfig

leaks = []
shown = {
    "argv": sys.argv,
    "orig_argv": getattr(sys, "orig_argv", []),
    "executable": sys.executable,
    "base": getattr(sys, "_base_executable", ""),
    "prefix": sys.prefix,
    "exec_prefix": sys.exec_prefix,
    "path": sys.path,
    "flags": sys.flags,
    "xoptions": sys._xoptions,
    "version": sys.version,
    "git": getattr(sys, "_git", ""),
    "stdlib": getattr(sys, "_stdlib_dir", ""),
    "implementation": sys.implementation,
    "cache": sys.pycache_prefix,
}
for name in ("get_paths", "get_config_vars", "get_platform", "get_makefile_filename", "get_config_h_filename"):
    try:
        shown[name] = getattr(sysconfig, name)()
    except Exception:
        pass
for name, value in shown.items():
    text = repr(value)
    for word in ("/root", "/crates", ".cargo", "/home/", "/work", "target/release", "attacks", "/tmp", "--json", "/usr/local/cargo", "rustup"):
        if word in text:
            leaks.append(f"{name}: {text[:100]}")
            break
result = leaks
