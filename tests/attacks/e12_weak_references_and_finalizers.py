# row: E12
# outcome: ok
# about: weak references whose callbacks make, kill and compare weak references, and finalizers that call the collector
import gc, weakref


class Thing:
    def __del__(self):
        gc.collect()
        things.append(weakref.ref(self))
        for reference in references:
            reference()


things, references = [], []
table = weakref.WeakKeyDictionary()
values = weakref.WeakValueDictionary()
for number in range(200):
    thing = Thing()
    table[thing] = number
    values[number] = thing
    references.append(weakref.ref(thing, lambda _: references.clear() or table.clear() or gc.collect()))
    references.append(weakref.proxy(thing))
    thing.cycle = thing
thing = None
gc.collect()
for key in list(table.keys()) + list(values.items()):
    str(key)
result = "alive"
