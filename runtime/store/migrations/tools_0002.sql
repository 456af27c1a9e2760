-- How often each tool answered, and what its answers looked like where its server does not say.
CREATE TABLE uses (
    server TEXT NOT NULL,
    name TEXT NOT NULL,
    calls INTEGER NOT NULL,
    -- When it answered last, in milliseconds after 1970, UTC.
    last_ms INTEGER NOT NULL,
    -- The hash of the definition that the shape was seen under; empty without a shape.
    hash TEXT NOT NULL,
    -- The names and types of the fields of its answers, as their writer encoded them. No values.
    shape BLOB NOT NULL,
    PRIMARY KEY (server, name)
) STRICT, WITHOUT ROWID;

-- Single words of intents that led to a tool which then answered. No sentences, no numbers, no quoted texts.
CREATE TABLE learned (
    server TEXT NOT NULL,
    name TEXT NOT NULL,
    word TEXT NOT NULL,
    runs INTEGER NOT NULL,
    last_ms INTEGER NOT NULL,
    PRIMARY KEY (server, name, word)
) STRICT, WITHOUT ROWID;
