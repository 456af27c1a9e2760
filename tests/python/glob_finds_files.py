import glob
import os
os.makedirs("logs/old")
for name in ("app.log", "db.log", "notes.txt", "old/app.log", ".hidden.log"):
    with open(f"logs/{name}", "w") as f:
        f.write(name)
print(sorted(glob.glob("logs/*.log")), sorted(glob.glob("logs/**/*.log", recursive=True)), glob.glob("logs/n?tes.*"), glob.glob("none*"))
print(sorted(glob.iglob("*.log", root_dir="logs")), sorted(glob.glob("logs/[ad]*.log")), glob.escape("a[1]*.txt"), sorted(glob.glob("logs/*/")))
print(sorted(glob.glob("logs/**", recursive=True)), glob.has_magic("a*"))
total = sum(os.path.getsize(path) for path in glob.glob("logs/**/*.log", recursive=True))
print(total)
