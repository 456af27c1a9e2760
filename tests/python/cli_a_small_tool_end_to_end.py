import argparse
import contextlib
import io
import json
import sys
from collections import Counter
def build():
    parser = argparse.ArgumentParser(prog="words")
    parser.add_argument("--top", type=int, default=2)
    parser.add_argument("--json", action="store_true", dest="as_json")
    parser.add_argument("text", nargs="+")
    return parser
def main(argv):
    args = build().parse_args(argv)
    counts = Counter(word.lower() for part in args.text for word in part.split())
    top = counts.most_common(args.top)
    if args.as_json:
        json.dump(dict(top), sys.stdout)
        print()
    else:
        for word, count in top:
            print(f"{count:>3} {word}")
    return 0 if top else 1
print(main(["a b a", "B b"]), main(["--json", "--top=1", "x y x"]))
with contextlib.redirect_stderr(io.StringIO()) as err:
    try:
        main(["--top", "many", "x"])
    except SystemExit as stop:
        print("exit", stop.code, "usage: words" in err.getvalue(), "invalid int value: 'many'" in err.getvalue())
if __name__ == "__main__":
    with contextlib.redirect_stdout(io.StringIO()) as out:
        try:
            main(["--help"])
        except SystemExit as stop:
            code = stop.code
    print(code, out.getvalue().splitlines()[0])
import cmd
class Shell(cmd.Cmd):
    prompt, use_rawinput = "", False
    def do_add(self, line):
        "Adds numbers."
        print(sum(map(int, line.split())), file=self.stdout)
    def do_quit(self, line):
        return True
    def default(self, line):
        print("unknown:", line, file=self.stdout)
out = io.StringIO()
Shell(stdin=io.StringIO("add 1 2\nwhat\nquit\nadd 5\n"), stdout=out).cmdloop(intro="hi")
print(out.getvalue().split("\n"))
