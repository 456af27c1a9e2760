# cpython: "not well-formed (invalid token): line 1, column 5\nduplicate attribute: line 2, column 10\njunk after document element: line 1, column 4\n"
# intentbox: "not well-formed (invalid token): line 1, column 0\nduplicate attribute: line 2, column 1\nmultiple elements on top level\n"
import xml.etree.ElementTree as ET
for text in ("<a b=c/>", "<a>\n <b x='1' x='2'/></a>", "<a/><b/>"):
    try:
        ET.fromstring(text)
    except ET.ParseError as error:
        print(error)
