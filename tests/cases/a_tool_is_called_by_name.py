# outcome: ok
# result: ["tools['git']['git_log']","tools['git']","takes its arguments by name","AttributeError","TypeError","CapabilityDenied"]
import intentbox.tools as module

said = [repr(tools.git.git_log), repr(tools["git"])]
try:
    tools.git.git_log(5)
except TypeError as error:
    said.append("takes its arguments by name" if "takes its arguments by name" in str(error) else str(error))
for attempt in (lambda: tools._private, lambda: tools[5], lambda: tools["../x"]["a b"]({"start-date": 1})):
    try:
        attempt()
    except Exception as error:
        said.append(type(error).__name__)
assert module is tools
result = said
