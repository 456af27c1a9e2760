import sched
import time
log = []
now = [0.0]
def sleep(seconds):
    now[0] += seconds
scheduler = sched.scheduler(lambda: now[0], sleep)
scheduler.enter(5, 1, log.append, ("five",))
scheduler.enter(1, 2, log.append, ("one, second",))
scheduler.enter(1, 1, log.append, ("one, first",))
cancelled = scheduler.enter(3, 1, log.append, ("never",))
scheduler.cancel(cancelled)
print(len(scheduler.queue), scheduler.empty())
scheduler.run()
print(log, now[0])
real = sched.scheduler(time.monotonic, time.sleep)
real.enter(0.01, 1, print, ("after a while",))
real.run()
class TokenBucket:
    def __init__(self, rate, size):
        self.rate, self.size, self.tokens, self.at = rate, size, size, 0.0
    def allow(self, at):
        self.tokens = min(self.size, self.tokens + (at - self.at) * self.rate)
        self.at = at
        if self.tokens >= 1:
            self.tokens -= 1
            return True
        return False
bucket = TokenBucket(1, 2)
print([bucket.allow(t) for t in (0, 0.1, 0.2, 1.2, 1.3, 3.5, 3.6, 3.7)])
