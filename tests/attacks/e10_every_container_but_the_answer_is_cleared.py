# row: E10
# outcome: ok
# flags: --fuel 5000000000
# result: "mine"
# about: the same, except for the names of the main module: the answer may survive, and then it is the true one
import gc


def destroy(mine=globals(), type=type, get=gc.get_objects, acts={dict: dict.clear, list: list.clear, set: set.clear}, kinds=(dict, list, set), Any=BaseException):
    for value in get():
        if type(value) in kinds and value is not acts and value is not mine:
            try:
                acts[type(value)](value)
            except Any:
                pass


result = "mine"
destroy()
