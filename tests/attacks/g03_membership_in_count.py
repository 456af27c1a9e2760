# row: G03
# outcome: deadline_exceeded
# flags: --timeout-ms 300 --fuel 10000000000000
# about: a native search that never finds must meet the deadline too
import itertools

-1 in itertools.count()
