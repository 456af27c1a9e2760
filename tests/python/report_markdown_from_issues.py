import json
from collections import Counter, defaultdict
from datetime import datetime, timezone
issues = json.loads("""[
 {"id": 1, "title": "Login fails | sometimes", "labels": ["bug", "auth"], "opened": "2024-05-01T10:00:00Z", "closed": null, "author": {"name": "ada"}},
 {"id": 2, "title": "Add CSV export", "labels": ["feature"], "opened": "2024-04-20T08:30:00Z", "closed": "2024-04-25T12:00:00Z", "author": {"name": "alan"}},
 {"id": 3, "title": "Crash on empty file", "labels": ["bug"], "opened": "2024-04-28T23:59:59Z", "closed": null, "author": null}
]""")
now = datetime(2024, 5, 3, 12, tzinfo=timezone.utc)
def parse(text):
    return datetime.fromisoformat(text.replace("Z", "+00:00")) if text else None
print("| # | Title | Age | Author |")
print("|--:|---|--:|---|")
for issue in sorted(issues, key=lambda i: i["opened"], reverse=True):
    opened, closed = parse(issue["opened"]), parse(issue["closed"])
    age = (closed or now) - opened
    author = (issue["author"] or {}).get("name", "*unknown*")
    title = issue["title"].replace("|", "\\|")
    print(f"| {issue['id']} | {title}{' (closed)' if closed else ''} | {age.days}d {age.seconds // 3600:02}h | {author} |")
labels = Counter(label for issue in issues for label in issue["labels"])
print("\nLabels:", ", ".join(f"{label} ({count})" for label, count in sorted(labels.items(), key=lambda p: (-p[1], p[0]))))
weeks = defaultdict(list)
for issue in issues:
    year, week, _ = parse(issue["opened"]).isocalendar()
    weeks[f"{year}-W{week:02}"].append(issue["id"])
print(dict(sorted(weeks.items())))
