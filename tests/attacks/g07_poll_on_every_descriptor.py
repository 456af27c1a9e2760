# row: G07
# outcome: python_error
# about: poll() on descriptors that are not there is refused or meets the deadline
import select

poll = select.poll()
for descriptor in range(1000):
    poll.register(descriptor)
while True:
    poll.poll(10**6)
