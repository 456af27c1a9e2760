import os.path as p
print(p.join("a", "b", "c.txt"), p.join("a", "/b"), p.basename("/x/y.tar.gz"), p.dirname("/x/y.tar.gz"), p.splitext("y.tar.gz"), p.split("/a/b/"))
print(p.normpath("a/./b/../c//d"), p.isabs("/a"), p.isabs("a"), p.commonpath(["/a/b/c", "/a/b/d"]), p.commonprefix(["abc", "abd"]), p.relpath("/a/b", "/a/c"))
print(p.splitext(".bashrc"), p.splitext("name."), p.join("", "x"), p.join("a", ""), p.normpath(""), p.splitdrive("/a"))
import os
print(os.sep, os.pathsep, repr(os.linesep), os.curdir, os.pardir, os.extsep, os.name, os.fspath("x"), os.fsencode("é"), os.devnull)
import fnmatch
names = ["a.py", "b.txt", "test_a.py", "A.PY"]
print(fnmatch.filter(names, "*.py"), fnmatch.fnmatchcase("a.py", "[ab].p?"), fnmatch.fnmatch("x", "[!x]"), bool(fnmatch.translate("*.py")))
