import io
import unittest
class Arithmetic(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.shared = [1]
    def setUp(self):
        self.items = [3, 1, 2]
    def tearDown(self):
        self.items.clear()
    def test_sorting(self):
        self.assertEqual(sorted(self.items), [1, 2, 3])
        self.assertIn(3, self.items)
        self.assertAlmostEqual(0.1 + 0.2, 0.3)
    def test_raises(self):
        with self.assertRaisesRegex(ValueError, "invalid literal"):
            int("x")
        with self.assertRaises(KeyError) as caught:
            {}["k"]
        self.assertEqual(caught.exception.args, ("k",))
    def test_subtests(self):
        for n in (2, 3):
            with self.subTest(n=n):
                self.assertEqual(n % 2, 0)
    def test_fails(self):
        self.assertEqual({"a": 1}, {"a": 2}, "dicts differ")
    def test_errors(self):
        raise RuntimeError("boom")
    @unittest.skip("not today")
    def test_skipped(self):
        pass
    @unittest.expectedFailure
    def test_expected(self):
        self.fail("known")
suite = unittest.defaultTestLoader.loadTestsFromTestCase(Arithmetic)
stream = io.StringIO()
result = unittest.TextTestRunner(stream=stream, verbosity=2).run(suite)
print(result.testsRun, len(result.failures), len(result.errors), len(result.skipped), len(result.expectedFailures), result.wasSuccessful())
for line in stream.getvalue().splitlines():
    if line.startswith(("test_", "FAILED", "FAIL:", "ERROR:")):
        print(line)
