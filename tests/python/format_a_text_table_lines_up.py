rows = [
    {"name": "web", "errors": 12, "rate": 0.0312, "last": None},
    {"name": "worker-very-long", "errors": 1043, "rate": 0.5, "last": "2024-05-01"},
    {"name": "api", "errors": 0, "rate": 1, "last": "2024-04-30"},
]
columns = ["name", "errors", "rate", "last"]
cells = [[c.upper() for c in columns]]
for row in rows:
    cells.append([row["name"][:10], f"{row['errors']:,}", f"{row['rate']:.1%}", row["last"] or "-"])
widths = [max(len(line[i]) for line in cells) for i in range(len(columns))]
for line in cells:
    print("  ".join(text.ljust(w) if i in (0, 3) else text.rjust(w) for i, (text, w) in enumerate(zip(line, widths))).rstrip())
print("-" * sum(widths))
print(f"{'total':<{widths[0]}}  {sum(r['errors'] for r in rows):>{widths[1]},}")
print("| " + " | ".join(columns) + " |\n|" + "---|" * len(columns))
