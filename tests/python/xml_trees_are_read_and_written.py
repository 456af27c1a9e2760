import xml.etree.ElementTree as ET
source = """<?xml version="1.0"?>
<catalog xmlns:x="urn:x">
  <book id="1" lang="en"><title>One &amp; only</title><price>9.50</price></book>
  <book id="2"><title>Zwei</title><price>20</price><x:note>n</x:note></book>
  <!-- comment -->
</catalog>"""
root = ET.fromstring(source)
print(root.tag, len(root), [b.get("id") for b in root], root[0].find("title").text, root.findtext("book/title"))
print(sum(float(p.text) for p in root.iter("price")), root.find("book[@id='2']/title").text, root.find(".//{urn:x}note").text)
print([b.attrib for b in root.findall("book")], root.find("missing"), root[1].get("lang", "none"))
for book in root.findall("book"):
    if float(book.findtext("price")) > 10:
        book.set("dear", "yes")
    book.remove(book.find("price"))
new = ET.SubElement(root, "book", id="3")
ET.SubElement(new, "title").text = "Drei < vier"
print(ET.tostring(new, encoding="unicode"), [e.tag for e in new.iter()])
ET.indent(root)
print(ET.tostring(root, encoding="unicode"))
