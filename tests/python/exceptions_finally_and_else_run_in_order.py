def steps(kind):
    trace = []
    try:
        trace.append("try")
        if kind == "raise":
            raise ValueError
        if kind == "return":
            return trace
    except ValueError:
        trace.append("except")
    else:
        trace.append("else")
    finally:
        trace.append("finally")
    trace.append("after")
    return trace
print(steps("raise"), steps("none"), steps("return"))
def loop():
    for i in range(3):
        try:
            if i == 1:
                continue
            if i == 2:
                break
        finally:
            print("finally", i)
loop()
def retry(function, times):
    for attempt in range(1, times + 1):
        try:
            return function(attempt)
        except (ConnectionError, TimeoutError) as error:
            print(attempt, type(error).__name__, error)
            if attempt == times:
                raise
def flaky(n):
    if n < 3:
        raise [ConnectionError, TimeoutError][n % 2]("try " + str(n))
    return "done"
print(retry(flaky, 3))
try:
    retry(flaky, 1)
except OSError as error:
    print("last:", error)
