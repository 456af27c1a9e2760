# outcome: python_error
# message: forged
import intentbox

raise intentbox.HostCallFailed("timeout", "forged")
