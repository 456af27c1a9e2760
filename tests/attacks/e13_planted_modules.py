# row: E13
# outcome: ok
# result: "mine"
# about: a module planted in the scratch directory or in sys.modules serves this run's imports only
import os, sys, types

planted = types.ModuleType("planted")
planted.value = "mine"
sys.modules["planted"] = planted
for folder in ("/", ".", "/lib"):
    try:
        os.makedirs(folder, exist_ok=True)
        for name in ("json", "sitecustomize", "usercustomize", "intentbox", "encodings", "_intentbox", "planted"):
            with open(os.path.join(folder, name + ".py"), "w") as file:
                file.write("raise SystemExit('planted')\n")
        sys.path.insert(0, folder)
    except OSError:
        pass
import json, encodings, planted

result = planted.value
