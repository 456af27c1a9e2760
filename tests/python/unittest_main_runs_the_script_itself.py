import unittest
def slugify(text):
    return "-".join("".join(c if c.isalnum() else " " for c in text.lower()).split())
class SlugTests(unittest.TestCase):
    def test_words(self):
        self.assertEqual(slugify("Hello, World!"), "hello-world")
    def test_empty(self):
        self.assertEqual(slugify("--"), "")
    def test_list(self):
        self.assertListEqual([slugify(t) for t in ("A b", "C")], ["a-b", "c"])
        self.assertTrue(slugify("x"))
        self.assertIsNone(None)
        self.assertCountEqual([1, 2], [2, 1])
class AsyncTests(unittest.IsolatedAsyncioTestCase):
    async def test_await(self):
        import asyncio
        self.assertEqual(await asyncio.sleep(0, "v"), "v")
program = unittest.main(argv=["script"], exit=False)
print(program.result.testsRun, program.result.wasSuccessful())
