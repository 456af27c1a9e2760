"""An XML parser that says where a document is malformed.

The native parser of `pyexpat` ends at the first fault without a word, and reads UTF-8 only. `Parser` stands before it:
it turns the text into UTF-8, and looks itself whether the tags match.
"""

import re

import pyexpat

_TOKEN = re.compile(
    r"<!--(?P<comment>.*?)-->|<!\[CDATA\[(?P<cdata>.*?)\]\]>|<\?(?P<pi>.*?)\?>"
    r"|<!DOCTYPE(?P<doctype>(?:\[.*?\]|\"[^\"]*\"|'[^']*'|[^>\[\"'])*)>"
    r"|<(?P<end>/)?(?P<name>(?![-.0-9])[^\s/>=<&!?\"'][^\s/>=<&\"']*)"
    r"(?P<attributes>(?:\s+[^\s=/>\"'<]+\s*=\s*(?:\"[^\"<]*\"|'[^'<]*'))*)\s*(?P<empty>/)?>",
    re.S,
)
_ATTRIBUTE = re.compile(r"([^\s=]+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")
_REFERENCE = re.compile(r"&(#[0-9]+|#x[0-9a-fA-F]+|[^\s;&<#]+);|&")
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_ENTITIES = {"amp", "lt", "gt", "quot", "apos"}
_DECLARATION = re.compile(r"(<\?xml[^>]*?)\s+encoding\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")
# The numbers and the words are libexpat's: programs look at `error.code`.
MESSAGES = {
    2: "syntax error", 3: "no element found", 4: "not well-formed (invalid token)", 5: "unclosed token", 7: "mismatched tag",
    8: "duplicate attribute", 9: "junk after document element", 11: "undefined entity", 18: "unknown encoding",
}  # fmt: skip


class Parser:
    """The native parser, with `Parse` and `ParseFile` that raise `pyexpat.error`."""

    ErrorCode, ErrorLineNumber, ErrorColumnNumber = 0, 1, 0

    def __init__(self, native):
        object.__setattr__(self, "_native", native)
        object.__setattr__(self, "_chunks", [])

    def __getattr__(self, name):
        return getattr(self._native, name)

    def __setattr__(self, name, value):
        setattr(self._native, name, value)

    def Parse(self, data, isfinal=False):
        """Parses one more chunk. The check of the whole comes with the last one."""
        if data:
            self._chunks.append(data.encode() if isinstance(data, str) else bytes(data))
        first = self._chunks[0][:200] if self._chunks else b""
        plain = b"encoding" not in first and first[:2] not in (b"\xff\xfe", b"\xfe\xff")
        if plain:
            answer = self._native.Parse(data, False)
            if not isfinal:
                return answer
        elif not isfinal:
            return 1
        try:
            text = _decoded(b"".join(self._chunks), text=isinstance(data, str))
            _check(text)
        except pyexpat.error as error:
            for name, value in zip(("ErrorCode", "ErrorLineNumber", "ErrorColumnNumber"), error.args[1:]):
                object.__setattr__(self, name, value)
            error.args = error.args[:1]
            raise
        return self._native.Parse(b"" if plain else text, True)

    def ParseFile(self, file):
        """Parses what `file.read()` gives."""
        return self.Parse(file.read(), True)


def _decoded(data, text):
    start = data[:200].decode("latin-1")
    declared = _DECLARATION.match(start.removeprefix("\xef\xbb\xbf"))
    encoding = "utf-8-sig"
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        encoding = "utf-16"
    elif declared and not text:
        encoding = declared[2] or declared[3]
    try:
        decoded = data.decode("utf-8-sig" if encoding.lower() in ("utf-8", "utf8") else encoding)
    except LookupError:
        raise _error(18, start, 0) from None
    except UnicodeDecodeError as error:
        raise _error(4, data[: error.start].decode("latin-1"), error.start) from None
    return _DECLARATION.sub(r"\1", decoded, count=1)


def _check(text):
    open_tags, roots, at, entities = [], 0, 0, _ENTITIES
    strange = _NOT_XML.search(text)
    if strange:
        raise _error(4, text, strange.start())
    while at < len(text):
        less = text.find("<", at)
        less = len(text) if less < 0 else less
        plain = text[at:less]
        if not open_tags and plain.strip():
            raise _error(9 if roots else 2, text, at + len(plain) - len(plain.lstrip()))
        _check_references(plain, entities, text, at)
        if less == len(text):
            break
        token = _TOKEN.match(text, less)
        if token is None:
            raise _error(5 if ">" not in text[less:] else 4, text, less)
        at = token.end()
        name = token["name"]
        if token["doctype"] is not None:
            entities = entities | set(re.findall(r"<!ENTITY\s+(\S+)", token["doctype"]))
        if token["cdata"] is not None and not open_tags:
            raise _error(4, text, less)
        if name is None:
            continue
        if token["end"]:
            if not open_tags or open_tags.pop() != name:
                raise _error(7 if roots else 4, text, less + 2)
            continue
        if not open_tags and roots:
            raise _error(9, text, less)
        roots += not open_tags
        if token["attributes"]:
            names = [attribute[1] for attribute in _ATTRIBUTE.finditer(token["attributes"])]
            if len(set(names)) < len(names):
                raise _error(8, text, less)
            _check_references(token["attributes"], entities, text, token.start("attributes"))
        if not token["empty"]:
            open_tags.append(name)
    if open_tags or not roots:
        raise _error(3, text, len(text))


def _check_references(part, entities, text, offset):
    if "&" in part:
        for reference in _REFERENCE.finditer(part):
            name = reference[1]
            if name is None:
                raise _error(4, text, offset + reference.start())
            if name[0] != "#" and name not in entities:
                raise _error(11, text, offset + reference.start())


def _error(code, text, at):
    line = text.count("\n", 0, at) + 1
    column = at - text.rfind("\n", 0, at) - 1
    error = pyexpat.error(f"{MESSAGES[code]}: line {line}, column {column}", code, line, column)
    error.code, error.lineno, error.offset = code, line, column
    return error
