import csv
import json
import os
rows = [{"id": n, "name": f"user{n}", "score": n * 1.5} for n in range(4)]
with open("rows.csv", "w", newline="") as f:
    writer = csv.DictWriter(f, rows[0])
    writer.writeheader()
    writer.writerows(rows)
with open("rows.csv", newline="") as f:
    back = [{"id": int(r["id"]), "name": r["name"], "score": float(r["score"])} for r in csv.DictReader(f)]
print(back == rows, os.path.getsize("rows.csv"))
with open("rows.json", "w") as f:
    json.dump(rows, f, indent=1)
print(json.load(open("rows.json")) == rows)
with open("rows.jsonl", "w") as f:
    for row in rows:
        print(json.dumps(row), file=f)
total = 0
with open("rows.jsonl") as f:
    for line in f:
        total += json.loads(line)["score"]
print(total)
import pickle
with open("rows.pickle", "wb") as f:
    pickle.dump(rows, f)
    pickle.dump("second", f)
with open("rows.pickle", "rb") as f:
    print(pickle.load(f) == rows, pickle.load(f))
import fileinput
with fileinput.input(["rows.jsonl", "rows.csv"]) as lines:
    print(sum(1 for _ in lines))
import filecmp, linecache
print(filecmp.cmp("rows.json", "rows.json"), linecache.getline("rows.csv", 2).strip())
