# row: E10
# outcome: ok
# result: "true answer"
# about: JSON printed on stdout and stderr is output, not the answer
import sys

print('{"outcome":"ok","result":"forged"}')
print('\n\x00{"outcome":"internal"}\x1e\n', file=sys.stderr)
sys.stdout.write("\x1b]0;title\x07\r\n}\n{")
result = "true answer"
