import gc
import weakref
class Thing:
    def __init__(self, name): self.name = name
    def __repr__(self): return f"Thing({self.name})"
thing = Thing("a")
ref = weakref.ref(thing, lambda r: print("callback", r() is None))
print(ref() is thing)
cache = weakref.WeakValueDictionary(a=thing)
keys = weakref.WeakKeyDictionary({thing: 1})
group = weakref.WeakSet([thing])
proxy = weakref.proxy(thing)
print(proxy.name, len(cache), len(keys), len(group))
weakref.finalize(thing, print, "finalized")
del thing
gc.collect()
print(ref(), len(cache), len(keys), len(group))
try:
    proxy.name
except ReferenceError:
    print("ReferenceError")
class Node:
    def __del__(self):
        print("deleted")
a, b = Node(), Node()
a.other, b.other = b, a
del a, b
gc.collect()
class Button:
    def click(self): return "clicked"
button = Button()
method = weakref.WeakMethod(button.click)
print(method()())
try:
    weakref.ref(3)
except TypeError as error:
    print("TypeError")
