# outcome: ok
# result: ["KeyError is no NotFound","LookupError","ValueError","name one",""]
from intentbox import Invalid, NotFound

result = [f"{KeyError.__name__} is no {NotFound.__name__}"] if not issubclass(KeyError, NotFound) else []
hints = []
for error in (NotFound("a", hint="name one"), Invalid("b")):
    try:
        raise error
    except (LookupError, ValueError) as caught:
        result.append(type(caught).__mro__[1].__name__)
        hints.append(caught.hint)
result += hints
