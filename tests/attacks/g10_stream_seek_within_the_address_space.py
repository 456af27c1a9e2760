# row: G10
# outcome: memory_limit
# about: a stream in memory padded by three gigabytes
import io

stream = io.BytesIO()
stream.seek(3 << 30)
stream.write(b"x")
