# row: E10
# outcome: ok
# result: 2
# about: hooks on import, paths and the import function are not asked by the guest's own machinery
import builtins, sys


def hook(*_, **__):
    raise SystemExit(9)


builtins.__import__ = hook
sys.meta_path[:] = []
sys.path_hooks[:] = []
sys.modules.clear()
result = 1 + 1
