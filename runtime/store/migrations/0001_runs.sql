-- The last runs, one row each. No arguments, no results, no words of intents.
CREATE TABLE runs (
    id INTEGER PRIMARY KEY,
    run_id TEXT NOT NULL,
    started_ms INTEGER NOT NULL,
    surface TEXT NOT NULL,
    principal TEXT NOT NULL,
    target TEXT NOT NULL,
    outcome TEXT NOT NULL,
    cached INTEGER NOT NULL,
    -- The bucket of `wall_us`, so that rows and `usage` are counted alike.
    bucket INTEGER NOT NULL,
    wall_us INTEGER NOT NULL,
    fuel INTEGER NOT NULL,
    http_requests INTEGER NOT NULL,
    host_calls INTEGER NOT NULL
) STRICT;
CREATE INDEX runs_by_start ON runs (started_ms);

-- The names that `usage` counts by. Their number is bounded.
CREATE TABLE targets (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
) STRICT;

-- How many runs took how long, by day (days after 1970, UTC): it outlives the rows of `runs`. `target_id` is no foreign
-- key, since deleting a target would then look through this whole table.
CREATE TABLE usage (
    day INTEGER NOT NULL,
    target_id INTEGER NOT NULL,
    outcome TEXT NOT NULL,
    bucket INTEGER NOT NULL,
    runs INTEGER NOT NULL,
    cached INTEGER NOT NULL,
    PRIMARY KEY (day, target_id, outcome, bucket)
) STRICT, WITHOUT ROWID;

-- How many runs were not recorded, by the day on which that was written.
CREATE TABLE dropped (
    day INTEGER PRIMARY KEY,
    records INTEGER NOT NULL
) STRICT;
