import configparser
import io
config = configparser.ConfigParser()
config.read_string("""
[DEFAULT]
root = /srv
debug = no
[web]
port = 8080
path = %(root)s/web
debug = yes
hosts =
    a.example
    b.example
[empty]
""")
print(config.sections(), config["web"]["path"], config.getint("web", "port") + 1, config.getboolean("web", "debug"), config["empty"].getboolean("debug"))
print(config["web"]["hosts"].split(), config.get("web", "missing", fallback="none"), "root" in config["web"], config.has_section("nope"))
try:
    config.get("web", "missing")
except configparser.NoOptionError as error:
    print(error)
try:
    config["nope"]
except KeyError as error:
    print("KeyError", error)
config["new"] = {"k": "v", "n": "1"}
config.set("web", "port", "9090")
config.remove_section("empty")
out = io.StringIO()
config.write(out)
print(out.getvalue())
try:
    configparser.ConfigParser().read_string("[a]\nx=1\n[a]\n")
except configparser.DuplicateSectionError as error:
    print("DuplicateSectionError", error.lineno)
