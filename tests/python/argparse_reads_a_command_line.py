import argparse
import io
import contextlib
parser = argparse.ArgumentParser(prog="tool", description="Does things.")
parser.add_argument("files", nargs="*", default=["-"])
parser.add_argument("-v", "--verbose", action="count", default=0)
parser.add_argument("-n", "--number", type=int, default=3, metavar="N")
parser.add_argument("--format", choices=["json", "csv"], default="csv")
parser.add_argument("--tag", action="append")
parser.add_argument("--dry-run", action="store_true")
parser.add_argument("--cache", action=argparse.BooleanOptionalAction, default=True)
print(sorted(vars(parser.parse_args([])).items()))
print(parser.parse_args("a b -vv -n5 --format=json --tag x --tag y --dry-run --no-cache".split()))
for bad in (["--number", "x"], ["--format", "xml"], ["--unknown"]):
    err = io.StringIO()
    with contextlib.redirect_stderr(err):
        try:
            parser.parse_args(bad)
        except SystemExit as stop:
            print(stop.code, err.getvalue().splitlines()[-1].split("(")[0])
known, rest = parser.parse_known_args(["f", "--extra", "1"])
print(known.files, rest)
sub = argparse.ArgumentParser(prog="git")
commands = sub.add_subparsers(dest="command", required=True)
add = commands.add_parser("add")
add.add_argument("path")
add.set_defaults(run=lambda args: f"adding {args.path}")
args = sub.parse_args(["add", "x.py"])
print(args.command, args.run(args))
group = argparse.ArgumentParser(prog="g", exit_on_error=False).add_mutually_exclusive_group()
group.add_argument("--a", action="store_true")
print(parser.get_default("number"))
