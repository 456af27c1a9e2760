import warnings
def old(n):
    warnings.warn("old() is deprecated, use new()", DeprecationWarning, stacklevel=2)
    return n
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    old(1)
    warnings.warn("plain")
    print([(w.category.__name__, str(w.message)) for w in caught])
with warnings.catch_warnings():
    warnings.simplefilter("error")
    try:
        old(2)
    except DeprecationWarning as error:
        print("raised", error)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    warnings.filterwarnings("ignore", message="quiet")
    warnings.warn("quiet please")
    warnings.warn("loud", UserWarning)
    print(len(caught), caught[0].message, caught[0].lineno > 0)
class MyWarning(UserWarning):
    pass
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("once")
    for _ in range(3):
        warnings.warn("same", MyWarning)
    print(len(caught), warnings.formatwarning("m", MyWarning, "f.py", 3, "line").splitlines()[0])
