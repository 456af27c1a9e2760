-- What is known of each configured upstream server, one row each.
CREATE TABLE servers (
    id TEXT PRIMARY KEY,
    -- SHA-256 of what decides which tools it has, in hexadecimal.
    config_hash TEXT NOT NULL,
    -- `discovering`, `success`, `failed` or `timeout`.
    status TEXT NOT NULL,
    -- When the status was set, in milliseconds after 1970, UTC.
    changed_ms INTEGER NOT NULL,
    -- Who is discovering: a process and when it started, since numbers of processes come again.
    owner_pid INTEGER NOT NULL,
    owner_start INTEGER NOT NULL,
    -- Why the last discovery failed and what to do about it, as its writer encoded that. Empty if it did not fail.
    failure TEXT NOT NULL,
    -- When tools were last listed; 0 if never.
    discovered_ms INTEGER NOT NULL,
    -- The tools as its writer encoded them, without their schemas.
    listing BLOB NOT NULL
) STRICT;

-- What a server said of each of its tools, and what of that a person or the first sight approved.
CREATE TABLE definitions (
    server TEXT NOT NULL,
    name TEXT NOT NULL,
    -- Whether the last listing had it. A tool that goes away and comes back is still compared with what was approved.
    is_listed INTEGER NOT NULL,
    hash TEXT NOT NULL,
    definition TEXT NOT NULL,
    approved_hash TEXT NOT NULL,
    -- Empty where it is the definition itself.
    approved TEXT NOT NULL,
    PRIMARY KEY (server, name)
) STRICT, WITHOUT ROWID;

-- The entries of project files that a person approved, by file and name, as they were then.
CREATE TABLE trusted (
    file TEXT NOT NULL,
    server TEXT NOT NULL,
    config_hash TEXT NOT NULL,
    trusted_ms INTEGER NOT NULL,
    PRIMARY KEY (file, server)
) STRICT;
