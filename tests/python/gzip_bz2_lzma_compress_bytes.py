import bz2
import gzip
import io
import lzma
import zlib
data = b"the same words again and again, " * 200
for module in (gzip, bz2, lzma, zlib):
    packed = module.compress(data)
    print(module.__name__, len(packed) < len(data) / 5, module.decompress(packed) == data)
buffer = io.BytesIO()
with gzip.GzipFile(fileobj=buffer, mode="wb", mtime=0) as f:
    f.write(b"line 1\nline 2\n")
buffer.seek(0)
with gzip.open(buffer, "rt") as f:
    print(f.read().splitlines())
stream = zlib.compressobj(9)
packed = stream.compress(data[:100]) + stream.compress(data[100:]) + stream.flush()
unpack = zlib.decompressobj()
print(unpack.decompress(packed) == data, unpack.eof, unpack.unused_data)
raw = zlib.compressobj(wbits=-15)
print(zlib.decompress(raw.compress(b"raw") + raw.flush(), wbits=-15))
for module, error in ((gzip, OSError), (bz2, OSError), (lzma, lzma.LZMAError), (zlib, zlib.error)):
    try:
        module.decompress(b"not compressed at all")
    except error:
        print(module.__name__, "refused")
try:
    gzip.decompress(gzip.compress(data)[:-10])
except EOFError:
    print("truncated")
