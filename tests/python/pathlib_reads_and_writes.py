from pathlib import Path
root = Path("project")
(root / "src" / "pkg").mkdir(parents=True)
(root / "README.md").write_text("# Title\nésum\n", encoding="utf-8")
(root / "src" / "main.py").write_text("print('hi')\n")
(root / "src" / "pkg" / "__init__.py").touch()
(root / "logo.bin").write_bytes(b"\x00\x01")
print(sorted(str(p) for p in root.rglob("*.py")), sorted(p.name for p in root.iterdir()), sorted(p.name for p in root.glob("**/*.md")))
readme = root / "README.md"
print(readme.read_text(encoding="utf-8").splitlines(), readme.exists(), readme.is_file(), root.is_dir(), readme.stat().st_size, (root / "logo.bin").read_bytes())
with readme.open("a", encoding="utf-8") as f:
    f.write("more")
moved = readme.rename(root / "DOC.md")
print(moved.name, readme.exists(), len(moved.read_text(encoding="utf-8")))
moved.unlink()
moved.unlink(missing_ok=True)
try:
    moved.unlink()
except FileNotFoundError:
    print("gone")
(root / "src").mkdir(exist_ok=True)
try:
    (root / "src").rmdir()
except OSError as error:
    print("OSError")
sizes = {p.relative_to(root).as_posix(): p.stat().st_size for p in sorted(root.rglob("*")) if p.is_file()}
print(sizes, Path.cwd() == Path().resolve(), Path("a").absolute() == Path.cwd() / "a")
