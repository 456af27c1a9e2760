# row: G14
# outcome: ok stack_overflow
# result: ["RecursionError", "RecursionError", "RecursionError"]
# about: class checks, descriptors and attribute hooks that ask themselves
class Meta(type):
    def __instancecheck__(cls, other):
        return isinstance(other, cls)

    def __subclasscheck__(cls, other):
        return issubclass(other, cls)


class A(metaclass=Meta):
    @property
    def p(self):
        return self.p


found = []
for act in (lambda: isinstance(1, A), lambda: issubclass(int, A), lambda: A().p):
    try:
        act()
    except RecursionError as error:
        found.append(type(error).__name__)
result = found
