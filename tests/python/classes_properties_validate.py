class Account:
    def __init__(self, balance=0):
        self.balance = balance
    @property
    def balance(self):
        """Cents."""
        return self._balance
    @balance.setter
    def balance(self, value):
        if value < 0:
            raise ValueError(f"balance cannot be {value}")
        self._balance = value
    @balance.deleter
    def balance(self):
        print("closing")
        del self._balance
    @property
    def euros(self):
        return self._balance / 100
    @classmethod
    def parse(cls, text):
        return cls(round(float(text) * 100))
    @staticmethod
    def valid(text):
        return text.replace(".", "", 1).isdigit()
account = Account.parse("12.50")
account.balance += 50
print(account.balance, account.euros, Account.valid("1.2"), Account.valid("x"), Account.balance.__doc__)
for action in ("account.balance = -1", "account.euros = 3"):
    try:
        exec(action)
    except (ValueError, AttributeError) as error:
        print(type(error).__name__)
del account.balance
print(hasattr(account, "balance"), vars(account))
