# cpython: "19\n"
# intentbox: "0\n"
import importlib
import warnings
warnings.simplefilter("ignore")
found = []
for name in "aifc asynchat asyncore audioop cgi cgitb chunk crypt distutils imghdr imp mailcap nntplib pipes sndhdr sunau telnetlib uu xdrlib".split():
    try:
        importlib.import_module(name)
        found.append(name)
    except ImportError:
        pass
print(len(found))
