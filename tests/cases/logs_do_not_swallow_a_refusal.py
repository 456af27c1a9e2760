# outcome: capability_denied
# message: reading logs:a.log was refused: the run may read no directory

# What keeps one file back does not end an answer, but a refusal does. The listing is played here, and the refusal real.
import _intentbox
from intentbox import logs

_intentbox.list_files = lambda folder: ("files", [("logs:a.log", 1, 0)], [])

logs.count("logs:")
