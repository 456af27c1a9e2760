"""Says which words of a sentence the logs hold, one after another as it has them, and which files hold them."""

import re

from intentbox import compressed, files, logs

sentence = 'Did anything panic: FAILED password, deadlocks, or an art in order?'

# What is read at most: of so many files, the newest, the end of each, and of a compressed one its beginning.
FILES_MAX = 16
BYTES_MAX = 8 << 20

# So many words of a sentence count, and so many that stand together. Shorter words are in all files.
WORDS_MAX = 40
TOGETHER_MAX = 6
LETTERS_MIN = 3

# So often a text is looked for that is only a part of longer words.
TRIES_MAX = 1000

# With these behind it, a word says the same of another number or time: "panic" and "panicked".
GOING_ON = re.compile(rb"(s|es|d|ed|ing|[bdgklmnprt](ed|ing))?(?![a-z0-9\x80-\xff])")

# One of several is how people say it, and a record says one: "deadlocks".
ENDINGS = (("ies", "y"), ("s", ""), ("es", ""))


def end(entry, size):
    """The end of a file in lower case, or the beginning of a compressed one; nothing where it cannot be read."""
    try:
        with files.open(entry["path"], "rb") as stream:
            start = stream.read(min(size, 4096))
            if kind := compressed.kind(start):
                return next(compressed.pieces(stream, kind, start, size), b"").lower()
            stream.seek(max(0, entry["bytes"] - size))
            return stream.read(size).lower()
    except (OSError, compressed.Broken):
        return b""


def holds(data, text):
    """Whether a text is in the data, and not as a part of longer words."""
    at = data.find(text)
    for _ in range(TRIES_MAX):
        if at < 0:
            return False
        before = data[at - 1] if at else 32
        if not (before > 127 or chr(before).isalnum()) and GOING_ON.match(data, at + len(text)):
            return True
        at = data.find(text, at + 1)
    return False


newest = sorted(logs.files(), key=lambda entry: entry["modified"])[-FILES_MAX:]
size = BYTES_MAX // max(1, len(newest))
ends = [(entry["path"], data) for entry in reversed(newest) if (data := end(entry, size))]


def is_there(text):
    needle = text.lower().encode()
    return any(holds(data, needle) for _, data in ends)


def row(text, said=None):
    """A text that is there, with the files that hold it, a line each."""
    needle = text.lower().encode()
    there = sorted(path.partition(":")[2] for path, data in ends if holds(data, needle))
    return {"text": text, **({"said": said} if said else {}), "file": "\n".join(there)}



words = list(re.finditer(r"[^\s,;!?\"'()<>]+", sentence))[:WORDS_MAX]
texts = [word[0].rstrip(".:") for word in words]
# Whether nothing but a space is between a word and the next one.
joined = [sentence[left.end() : right.start()] == " " and left[0][-1] not in ".:" for left, right in zip(words, words[1:])]
result = []
for text in dict.fromkeys(texts):
    if len(text) < LETTERS_MIN:
        continue
    # Whoever looks for one finds several too, and "sessions" may be in the path of a module alone.
    ones = [text[: -len(last)] + one for last, one in ENDINGS if text.endswith(last) and len(text) > len(last) + 2]
    if one := next(filter(is_there, ones), None):
        result.append(row(one, text))
    elif is_there(text):
        result.append(row(text))
# Of three words together, the first two and the last two are together.
together = {(at, at + 1) for at in range(len(texts))}
for width in range(2, TOGETHER_MAX + 1):
    parts, together = together, set()
    for at in range(len(texts) - width + 1):
        is_open = width == 2 or {(at, at + width - 1), (at + 1, at + width)} <= parts
        text = " ".join(texts[at : at + width])
        if is_open and all(joined[at : at + width - 1]) and is_there(text):
            together.add((at, at + width))
            result.append(row(text))
