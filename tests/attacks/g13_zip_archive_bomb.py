# row: G13
# outcome: memory_limit
# flags: --memory-mib 128 --fuel 20000000000
# about: an archive in memory with overlapping, highly packed entries
import io, zipfile

stream = io.BytesIO()
with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
    for number in range(6):
        archive.writestr(f"../../{number}", bytes(20_000_000))
hoard = []
with zipfile.ZipFile(stream) as archive:
    for name in archive.namelist() * 100:
        hoard.append(archive.read(name))
