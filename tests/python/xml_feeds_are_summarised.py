import xml.etree.ElementTree as ET
from email.utils import parsedate_to_datetime
from html import unescape
feed = """<rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/"><channel><title>News</title>
<item><title>One &amp;amp; two</title><link>https://a/1</link><pubDate>Mon, 06 May 2024 10:00:00 GMT</pubDate><dc:creator>Ada</dc:creator></item>
<item><title><![CDATA[<b>Three</b>]]></title><link>https://a/2</link><pubDate>Sun, 05 May 2024 09:00:00 +0200</pubDate></item>
</channel></rss>"""
ns = {"dc": "http://purl.org/dc/elements/1.1/"}
root = ET.fromstring(feed)
items = []
for item in root.iterfind("./channel/item"):
    items.append({"title": unescape(item.findtext("title")), "link": item.findtext("link"),
                  "when": parsedate_to_datetime(item.findtext("pubDate")), "by": item.findtext("dc:creator", default="?", namespaces=ns)})
for item in sorted(items, key=lambda i: i["when"]):
    print(item["when"].isoformat(), item["title"], item["by"])
out = ET.Element("opml", version="1.0")
body = ET.SubElement(out, "body")
for item in items:
    ET.SubElement(body, "outline", text=item["title"], url=item["link"])
text = ET.tostring(out, encoding="unicode")
print(text)
print([e.attrib["text"] for e in ET.fromstring(text).iter("outline")], ET.tostring(body[0], encoding="us-ascii", xml_declaration=True).splitlines()[-1])
tree = ET.ElementTree(out)
import io
buffer = io.BytesIO()
tree.write(buffer, encoding="utf-8", xml_declaration=True)
print(buffer.getvalue()[:38], [(event, e.tag) for event, e in ET.iterparse(io.BytesIO(buffer.getvalue()), events=("start", "end"))][:3])
ET.register_namespace("dc", ns["dc"])
print(ET.tostring(root.find(".//dc:creator", ns), encoding="unicode"))
