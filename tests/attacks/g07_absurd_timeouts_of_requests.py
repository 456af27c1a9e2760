# row: G07
# outcome: capability_denied host_call_limit
# about: a request's own timeout may be zero, negative, endless or no number; it is refused in the guest or bounded, never added to the deadline
import intentbox

while True:
    for timeout in (0, -1, 1e-12, 1e9, 1e300, float("inf"), float("nan"), 2**31, 10**40, "5"):
        try:
            http.get("sentry:/nowhere", timeout=timeout)
        except (intentbox.CapabilityDenied, intentbox.HostCallFailed, ValueError, OverflowError, TypeError):
            http.head("sentry:/nowhere")
