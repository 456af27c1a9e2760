import json
import unittest
from unittest.mock import MagicMock, patch
class Client:
    def __init__(self, fetch):
        self.fetch = fetch
    def issues(self, page_limit=3):
        url, found = "/issues?page=1", []
        for _ in range(page_limit):
            reply = self.fetch(url)
            if reply.status == 429:
                raise RuntimeError("slow down")
            found += json.loads(reply.body)
            url = reply.links.get("next")
            if url is None:
                return found
        return found
def reply(status=200, body="[]", **links):
    return MagicMock(status=status, body=body, links=links)
class ClientTests(unittest.TestCase):
    def test_pages_are_followed(self):
        fetch = MagicMock(side_effect=[reply(body="[1, 2]", next="/p2"), reply(body="[3]")])
        self.assertEqual(Client(fetch).issues(), [1, 2, 3])
        self.assertEqual([c.args[0] for c in fetch.call_args_list], ["/issues?page=1", "/p2"])
    def test_limit_stops(self):
        fetch = MagicMock(return_value=reply(body="[0]", next="/again"))
        self.assertEqual(len(Client(fetch).issues(page_limit=5)), 5)
        self.assertEqual(fetch.call_count, 5)
    def test_errors_surface(self):
        with self.assertRaises(RuntimeError):
            Client(lambda url: reply(429)).issues()
    def test_time_is_patched(self):
        with patch("time.time", side_effect=[1.0, 2.0]):
            import time
            self.assertEqual(time.time() + time.time(), 3.0)
import io
out = io.StringIO()
result = unittest.TextTestRunner(stream=out, verbosity=2).run(unittest.TestLoader().loadTestsFromTestCase(ClientTests))
print(result.testsRun, result.wasSuccessful(), sorted(line.split(" ")[0] for line in out.getvalue().splitlines() if line.endswith("ok")))
