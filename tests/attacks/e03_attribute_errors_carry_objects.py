# row: E03
# outcome: ok
# result: []
# about: AttributeError.obj and NameError.name give back the script's own objects only
import intentbox, sys

leaks = []
for target in (intentbox, intentbox.http, sys, sys.modules["_intentbox"], type, len):
    try:
        target.no_such_attribute
    except AttributeError as error:
        if error.obj is not target:
            leaks.append(repr(error.obj)[:60])
result = leaks
