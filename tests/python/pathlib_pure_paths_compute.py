from pathlib import PurePosixPath as P, PureWindowsPath
p = P("/srv/data/archive.tar.gz")
print(p.name, p.stem, p.suffix, p.suffixes, p.parent, p.parts, p.anchor, list(map(str, p.parents)))
print(p.with_name("x.txt"), p.with_suffix(".zip"), p.with_stem("other"), p / ".." / "up", P("a") / "b/c", P("a", "b"), P("a/./b//c"))
print(p.relative_to("/srv"), p.is_relative_to("/srv"), p.match("*.gz"), P("a/b.py").match("a/*.py"), p.is_absolute(), P("x").joinpath("y", "z"))
try:
    p.relative_to("/other")
except ValueError as error:
    print("ValueError")
print(P("a") < P("b"), P("a") == P("a/"), {P("x"): 1}[P("x")], repr(P("q")), PureWindowsPath(r"C:\a\b").drive, PureWindowsPath("a/b"), P("é").as_posix(), P("/a b").as_uri())
print(str(P("")), P("..").name, P(".hidden").suffix, P("a.b.c").with_suffix(""))
