from xml.dom import minidom
import xml.sax
from xml.sax.saxutils import escape, quoteattr, unescape
doc = minidom.parseString("<list><item n='1'>one</item><item n='2'/></list>")
for item in doc.getElementsByTagName("item"):
    print(item.getAttribute("n"), item.firstChild.data if item.firstChild else None)
added = doc.createElement("item")
added.setAttribute("n", "3")
added.appendChild(doc.createTextNode("a<b"))
doc.documentElement.appendChild(added)
print(doc.documentElement.toxml())
print(doc.documentElement.toprettyxml(indent=" "))
class Counter(xml.sax.ContentHandler):
    def __init__(self):
        super().__init__()
        self.tags, self.text = [], ""
    def startElement(self, name, attrs):
        self.tags.append((name, dict(attrs)))
    def characters(self, content):
        self.text += content
handler = Counter()
xml.sax.parseString(b"<a x='1'>t<b/>u</a>", handler)
print(handler.tags, handler.text, escape("<&>"), quoteattr('say "x"'), unescape("&lt;"))
