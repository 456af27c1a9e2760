# row: E10
# outcome: ok
# flags: --fuel 5000000000
# about: emptying every dictionary, list and set that the collector knows leaves no answer that the script did not make
import gc


def destroy(type=type, get=gc.get_objects, acts={dict: dict.clear, list: list.clear, set: set.clear}, kinds=(dict, list, set), Any=BaseException):
    for value in get():
        if type(value) in kinds and value is not acts:
            try:
                acts[type(value)](value)
            except Any:
                pass


destroy()
