import functools
def log(prefix):
    def wrap(function):
        @functools.wraps(function)
        def inner(*args, **kwargs):
            print(prefix, function.__name__, args, kwargs)
            return function(*args, **kwargs)
        return inner
    return wrap
def twice(function):
    @functools.wraps(function)
    def inner(*args, **kwargs):
        return function(*args, **kwargs), function(*args, **kwargs)
    return inner
@twice
@log("call")
def add(a, b=1):
    """Adds."""
    return a + b
print(add(2, b=3))
print(add.__name__, add.__doc__, add.__wrapped__.__wrapped__(1))
registry = {}
def command(name=None):
    def keep(function):
        registry[name or function.__name__] = function
        return function
    return keep
@command()
def start():
    return "started"
@command("halt")
def stop():
    return "stopped"
print({name: f() for name, f in sorted(registry.items())})
