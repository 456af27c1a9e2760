# row: G13
# outcome: ok
# flags: --memory-mib 128 --fuel 4000000000
# about: entities of entities are refused or meet a limit
import xml.etree.ElementTree as tree

entities = '<!ENTITY a0 "' + "ha" * 100 + '">' + "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 20}">' for n in range(1, 20))
len(tree.fromstring(f"<!DOCTYPE x [{entities}]><x>&a19;</x>").text or "")
