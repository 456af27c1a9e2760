# row: G13
# outcome: ok
# result: []
# about: entities that name files or addresses of the host bring nothing
import xml.etree.ElementTree as tree
from xml.dom import minidom
from xml.sax import handler, make_parser, xmlreader
import io

needle = "".join(["canary", "-7f3a"])
leaks = []
for system in (f"file:///tmp/intentbox-{needle}.txt", "/etc/passwd", "file:///proc/self/environ", "http://127.0.0.1:1/x"):
    text = f'<!DOCTYPE x [<!ENTITY e SYSTEM "{system}">]><x>&e;</x>'
    for parse in (lambda: tree.tostring(tree.fromstring(text), "unicode"), lambda: minidom.parseString(text).toxml()):
        try:
            shown = parse()
        except Exception as error:
            shown = str(error)
        if "root:" in shown or "HOME=" in shown or (needle in shown and system not in shown):
            leaks.append(system[:20])
result = leaks
