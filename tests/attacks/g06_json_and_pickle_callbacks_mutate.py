# row: G06
# outcome: ok
# flags: --fuel 2000000000
# about: serializers whose callbacks empty the container that is being written
import copy, json, pickle


class Evil:
    def __reduce__(self):
        target.clear()
        return (int, ())

    def __deepcopy__(self, memo):
        target.clear()
        memo.clear()
        return self


def default(value):
    target.clear()
    return 1


for make in (lambda: [Evil() for _ in range(50)], lambda: {i: Evil() for i in range(50)}, lambda: {str(i): Evil() for i in range(50)}):
    for act in (lambda: json.dumps(target, default=default), lambda: pickle.dumps(target), lambda: copy.deepcopy(target)):
        target = make()
        try:
            act()
        except (RuntimeError, IndexError, KeyError, ValueError):
            pass
result = "alive"
