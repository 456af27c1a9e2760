from unittest.mock import ANY, MagicMock, Mock, call, patch, sentinel, create_autospec, mock_open
client = Mock()
client.get.return_value.json.return_value = {"id": 1}
print(client.get("/x", timeout=3).json(), client.get.call_args, client.get.called, client.get.call_count)
client.get.assert_called_once_with("/x", timeout=ANY)
try:
    client.get.assert_called_with("/y")
except AssertionError as error:
    print("AssertionError", "expected call not found" in str(error))
flaky = Mock(side_effect=[ConnectionError("down"), "up"])
try:
    flaky()
except ConnectionError as error:
    print(error)
print(flaky(), flaky.mock_calls == [call(), call()])
magic = MagicMock()
magic.__len__.return_value = 3
magic["k"] = 1
print(len(magic), magic.__setitem__.call_args)
import os
with patch("os.getcwd", return_value="/fake"), patch.dict(os.environ, {"MODE": "test"}):
    print(os.getcwd(), os.environ["MODE"])
print(os.environ.get("MODE"))
class Service:
    def run(self, n: int) -> int:
        return n * 2
with patch.object(Service, "run", autospec=True) as run:
    run.side_effect = lambda self, n: n + 100
    print(Service().run(1))
print(Service().run(1), create_autospec(Service)().run(5) is not None)
try:
    create_autospec(Service)().run()
except TypeError as error:
    print("TypeError", error)
with patch("builtins.open", mock_open(read_data="line one\nline two")) as opened:
    with open("f") as f:
        print(f.read().splitlines(), opened.call_args)
print(sentinel.token is sentinel.token, Mock(name="n", spec=["a"]).a is not None, hasattr(Mock(spec=["a"]), "b"))
