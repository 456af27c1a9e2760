from __future__ import annotations
from dataclasses import dataclass, field
class InsufficientFunds(Exception):
    def __init__(self, missing: int):
        super().__init__(f"missing {missing}")
        self.missing = missing
@dataclass
class Account:
    owner: str
    balance: int = 0
    history: list[tuple[str, int]] = field(default_factory=list, repr=False)
    def deposit(self, amount: int) -> Account:
        if amount <= 0:
            raise ValueError("amount must be positive")
        self.balance += amount
        self.history.append(("in", amount))
        return self
    def withdraw(self, amount: int) -> Account:
        if amount > self.balance:
            raise InsufficientFunds(amount - self.balance)
        self.balance -= amount
        self.history.append(("out", amount))
        return self
class Bank:
    def __init__(self):
        self._accounts: dict[str, Account] = {}
    def __getitem__(self, owner):
        return self._accounts.setdefault(owner, Account(owner))
    def transfer(self, source, target, amount):
        snapshot = {a.owner: (a.balance, list(a.history)) for a in self._accounts.values()}
        try:
            self[target].deposit(amount)
            self[source].withdraw(amount)
        except Exception:
            for owner, (balance, history) in snapshot.items():
                self[owner].balance, self[owner].history = balance, history
            raise
    total = property(lambda self: sum(a.balance for a in self._accounts.values()))
bank = Bank()
bank["ada"].deposit(100).withdraw(30)
bank["alan"]
bank.transfer("ada", "alan", 50)
for args in (("ada", "alan", 500), ("ada", "alan", -1)):
    try:
        bank.transfer(*args)
    except (InsufficientFunds, ValueError) as error:
        print(type(error).__name__, error)
print(bank["ada"], bank["alan"], bank["ada"].history, bank.total)
