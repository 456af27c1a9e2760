from graphlib import CycleError, TopologicalSorter
tasks = {"deploy": {"build", "test"}, "test": {"build"}, "build": {"fetch"}, "docs": {"fetch"}}
order = list(TopologicalSorter(tasks).static_order())
print(order[0], order.index("build") < order.index("test") < order.index("deploy"), len(order))
sorter = TopologicalSorter()
sorter.add("c", "a", "b")
sorter.add("d", "c")
sorter.prepare()
while sorter.is_active():
    ready = sorted(sorter.get_ready())
    print(ready)
    sorter.done(*ready)
try:
    list(TopologicalSorter({"a": ["b"], "b": ["a"]}).static_order())
except CycleError as error:
    print(error.args[0], sorted(set(error.args[1])))
