-- The policies under which jobs ran, by the SHA-256 of a file's text in hexadecimal. The files stay the source.
CREATE TABLE policies (
    digest TEXT NOT NULL PRIMARY KEY,
    text TEXT NOT NULL,
    -- When a server first and last began with it.
    first_ms INTEGER NOT NULL,
    last_ms INTEGER NOT NULL
) STRICT;
