import re
class Parser:
    def __init__(self, text):
        self.tokens = re.findall(r"\d+\.?\d*|[-+*/()^]|\S", text)
        self.i = 0
    def peek(self):
        return self.tokens[self.i] if self.i < len(self.tokens) else None
    def take(self, expected=None):
        token = self.peek()
        if token is None or (expected and token != expected):
            raise SyntaxError(f"expected {expected or 'a value'}, found {token or 'the end'}")
        self.i += 1
        return token
    def expression(self):
        value = self.term()
        while self.peek() in ("+", "-"):
            value = value + self.term() if self.take() == "+" else value - self.term()
        return value
    def term(self):
        value = self.power()
        while self.peek() in ("*", "/"):
            value = value * self.power() if self.take() == "*" else value / self.power()
        return value
    def power(self):
        value = self.atom()
        return value ** self.power() if self.peek() == "^" and self.take() else value
    def atom(self):
        token = self.take()
        if token == "-":
            return -self.atom()
        if token == "(":
            value = self.expression()
            self.take(")")
            return value
        try:
            return float(token) if "." in token else int(token)
        except ValueError:
            raise SyntaxError(f"unexpected {token}") from None
for text in ("1 + 2 * 3", "(1 + 2) * 3", "2 ^ 3 ^ 2", "-4 / (2 - 4)", "1.5 * 4", "(1 + ", "2 $ 3", "1 / 0"):
    try:
        print(text, "=", Parser(text).expression())
    except (SyntaxError, ZeroDivisionError) as error:
        print(text, "!", error)
