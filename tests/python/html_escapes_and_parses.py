import html
from html.parser import HTMLParser
print(html.escape('<a href="x">&\'</a>'), html.unescape("&lt;p&gt; &amp;amp; &#233; &#x1F600; &nbsp;|&eacute;"))
class Links(HTMLParser):
    def __init__(self):
        super().__init__()
        self.links, self.text, self.depth = [], [], 0
    def handle_starttag(self, tag, attrs):
        self.depth += 1
        if tag == "a":
            self.links.append(dict(attrs).get("href"))
    def handle_endtag(self, tag):
        self.depth -= 1
    def handle_data(self, data):
        if data.strip():
            self.text.append(data.strip())
    def handle_comment(self, data):
        self.text.append(f"<!{data}>")
parser = Links()
parser.feed('<html><body><h1>Title &amp; more</h1><p>See <a href="/one">one</a>,<a href=two class="x">two</a><br/>')
parser.feed("</p><!-- note --><a>none</a></body></html>")
parser.close()
print(parser.links, parser.text, parser.getpos()[0])
rows = [("a", 1), ("<b>", 2)]
print("<table>" + "".join(f"<tr><td>{html.escape(k)}</td><td>{v}</td></tr>" for k, v in rows) + "</table>")
from html.entities import name2codepoint
print(name2codepoint["euro"], chr(name2codepoint["copy"]))
