# cpython: "Expecting property name enclosed in double quotes: line 1 column 9 (char 8)\nExpecting value: line 1 column 4 (char 3)\n"
# intentbox: "Illegal trailing comma before end of object: line 1 column 8 (char 7)\nIllegal trailing comma before end of array: line 1 column 3 (char 2)\n"
import json
for text in ('{"a": 1,}', "[1,]"):
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        print(error)
