# row: G13
# outcome: fuel_exhausted
# flags: --fuel 3000000000
# about: a document of 200,000 nested elements ends the run at worst
import xml.etree.ElementTree as tree

root = tree.fromstring("<a>" * 200_000 + "</a>" * 200_000)
tree.tostring(root)
result = "built"
