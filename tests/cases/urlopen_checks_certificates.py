# outcome: python_error
# message: certificates are always checked, by the host and against its roots: leave context out
import ssl
import urllib.request

urllib.request.urlopen("https://example.com/", context=ssl._create_unverified_context())
