from collections import defaultdict
documents = {1: "the quick brown fox", 2: "the lazy dog", 3: "quick dog jumps", 4: ""}
index = defaultdict(set)
for key, text in documents.items():
    for position, word in enumerate(text.split()):
        index[word].add((key, position))
def search(*words):
    found = [{key for key, _ in index.get(word, ())} for word in words]
    return sorted(set.intersection(*found)) if found else []
print(search("quick"), search("quick", "dog"), search("none"), search(), sorted(index["the"]))
users = [{"id": 1, "name": "ada"}, {"id": 2, "name": "alan"}, {"id": 3, "name": "grace"}]
orders = [{"user": 1, "total": 5}, {"user": 3, "total": 7}, {"user": 1, "total": 2}, {"user": 9, "total": 1}]
by_id = {u["id"]: u for u in users}
joined = [{**o, "name": by_id[o["user"]]["name"]} for o in orders if o["user"] in by_id]
print(joined)
totals = {u["name"]: sum(o["total"] for o in orders if o["user"] == u["id"]) for u in users}
print(totals, [name for name, t in totals.items() if not t], [o for o in orders if o["user"] not in by_id])
before, after = {"a": 1, "b": 2, "c": [1]}, {"b": 3, "c": [1], "d": 4}
print({"added": sorted(after.keys() - before.keys()), "removed": sorted(before.keys() - after.keys()),
       "changed": {k: (before[k], after[k]) for k in sorted(before.keys() & after.keys()) if before[k] != after[k]}})
def dedupe(rows, key):
    return list({row[key]: row for row in rows}.values())
print(dedupe(orders, "user"), sorted(orders, key=lambda o: (-o["total"], o["user"]))[0])
