# row: G09
# outcome: memory_limit
# flags: --memory-mib 64
# about: with 64 MiB, most of it the interpreter, running out is still memory_limit and nothing else
import ast, decimal, email, html, json, logging, unittest

hoard = [bytes(1 << 10) for _ in range(10**6)]
