log = """10:01 web ERROR timeout
10:02 api INFO started
10:03 web ERROR refused
10:04 db WARN slow
10:05 api ERROR timeout
malformed
10:06 web INFO ok"""
by_service, by_level, bad = {}, {}, []
for number, line in enumerate(log.splitlines(), 1):
    parts = line.split(maxsplit=3)
    if len(parts) != 4:
        bad.append((number, line))
        continue
    time, service, level, message = parts
    by_service.setdefault(service, []).append((level, message))
    by_level[level] = by_level.get(level, 0) + 1
for service in sorted(by_service):
    errors = [m for level, m in by_service[service] if level == "ERROR"]
    print(f"{service:4} {len(by_service[service])} entries, errors: {', '.join(errors) or 'none'}")
print(sorted(by_level.items(), key=lambda kv: (-kv[1], kv[0])), bad)
chunks = [list(range(10))[i:i + 4] for i in range(0, 10, 4)]
print(chunks, list(zip(*[iter(range(9))] * 3)))
