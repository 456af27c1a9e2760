"""A simulation of many workers on one database: `python3 simulate.py`. GROWTH.md says what it assumes and what it found.

The database is one server with a queue: a transaction takes BASE and, for each row, ROW. A process has one connection that writes, and
puts all that waits for it into one transaction, at most GROUP rows, as runtime/store does. A worker has SEATS; it leases up to as many as
are free, at most LEASED at a time, and looks for jobs when it hears of some, and every LOOK otherwise. A job is three rows: accepted,
leased, ended."""
import heapq, random, statistics, sys

BASE, ROW = 0.0002, 0.0001   # seconds; fitted to `tests/postgres/run cargo bench --bench serve`
GROUP, LEASED, LOOK = 256, 32, 0.5
SEATS = 16
APIS = 4


def run(workers, rate, mean_s, warm=30, seconds=30, seed=1):
    """Jobs ended a second after a while, and the times from submission to the end in seconds without the job's own, sorted."""
    chance = random.Random(seed)
    events, order = [], 0          # (time, order, what, who, argument)
    ready, waits, ended = [], [], 0
    free = [SEATS] * workers       # seats by worker
    writes = [[] for _ in range(workers + APIS)]     # what waits for a process's connection
    is_writing = [False] * (workers + APIS)
    is_leasing = [False] * workers
    database_free = 0.0

    def at(time, what, who, argument=None):
        nonlocal order
        order += 1
        heapq.heappush(events, (time, order, what, who, argument))

    def transaction(now, rows):
        """When a transaction ends that begins to wait now."""
        nonlocal database_free
        database_free = max(database_free, now) + BASE + ROW * rows
        return database_free

    def write(now, who):
        if not is_writing[who] and writes[who]:
            batch, writes[who] = writes[who][:GROUP], writes[who][GROUP:]
            is_writing[who] = True
            at(transaction(now, len(batch)), "written", who, batch)

    def lease(now, worker):
        if free[worker] and ready and not is_leasing[worker]:
            is_leasing[worker] = True
            # The rows are locked now, and given when the transaction ends.
            taken = [ready.pop() for _ in range(min(free[worker], LEASED, len(ready)))]
            free[worker] -= len(taken)
            at(transaction(now, len(taken)), "leased", worker, taken)

    at(0.0, "arrives", 0)
    for worker in range(workers):
        at(chance.random() * LOOK, "looks", worker)
    while events:
        now, _, what, who, argument = heapq.heappop(events)
        if now > warm + seconds:
            break
        if what == "arrives":
            api = workers + chance.randrange(APIS)
            writes[api].append(("accepted", now))
            write(now, api)
            at(now + chance.expovariate(rate), "arrives", 0)
        elif what == "written":
            is_writing[who] = False
            for kind, job in argument:
                if kind == "accepted":
                    ready.insert(0, job)
                else:
                    if now > warm:
                        ended += 1
                        waits.append(now - job[0] - job[1])
                    free[who] += 1
            write(now, who)
            # Somebody hears of it: in the simulation one of those with free seats.
            if who >= workers:
                for worker in chance.sample(range(workers), min(3, workers)):
                    lease(now, worker)
            else:
                lease(now, who)
        elif what == "leased":
            is_leasing[who] = False
            for job in argument:
                length = chance.expovariate(1 / mean_s)
                at(now + length, "ends", who, (job, length))
            lease(now, who)
        elif what == "ends":
            writes[who].append(("ended", argument))
            write(now, who)
        elif what == "looks":
            lease(now, who)
            at(now + LOOK, "looks", who)
    return ended / seconds, sorted(waits)


if __name__ == "__main__":
    print("workers  offered/s  ended/s  wait p50 ms  wait p99 ms")
    for workers, rate, mean_s in [
        (1, 300, 0.05), (3, 800, 0.05), (10, 1000, 0.05), (10, 2000, 0.05), (100, 500, 0.05), (100, 1000, 0.05), (100, 1500, 0.05),
        (100, 2000, 0.05), (100, 3000, 0.05), (100, 1000, 1.0), (100, 300, 5.0),
    ]:
        done, waits = run(workers, rate, mean_s)
        middle, late = (waits[int(len(waits) * share)] * 1000 for share in (0.5, 0.99))
        print(f"{workers:7}  {rate:9}  {done:7.0f}  {middle:11.1f}  {late:11.1f}   jobs of {mean_s} s")
