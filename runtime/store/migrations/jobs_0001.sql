-- Jobs, one row each. What is here was promised to somebody: each commit waits for the disk.
--
-- This is SQLite's form. `database/postgres.rs` writes it as PostgreSQL wants it, where three words differ.
CREATE TABLE jobs (
    -- The order in which they were accepted.
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    -- What clients call it: 32 hexadecimal digits that cannot be guessed.
    id TEXT NOT NULL UNIQUE,
    principal TEXT NOT NULL,
    -- The request as it was accepted, as JSON.
    request TEXT NOT NULL,
    -- `scheduled`, `ready`, `running`, `finished`, `cancelled`, `expired` or `dead`.
    state TEXT NOT NULL,
    priority INTEGER NOT NULL,
    created_ms INTEGER NOT NULL,
    run_at_ms INTEGER NOT NULL,
    -- After this it is not begun any more; NULL: never.
    expires_ms INTEGER,
    attempt INTEGER NOT NULL,
    attempts_max INTEGER NOT NULL,
    -- Grows with each lease, and never shrinks: what an old lease writes is not taken.
    fence INTEGER NOT NULL,
    worker TEXT NOT NULL,
    lease_until_ms INTEGER NOT NULL,
    -- Whether this attempt may have begun to change something outside.
    may_have_changed INTEGER NOT NULL,
    cancel_ms INTEGER,
    started_ms INTEGER,
    finished_ms INTEGER,
    -- How it ended: the name of an outcome; empty before.
    outcome TEXT NOT NULL,
    -- The report as JSON; empty before, and where none was made.
    report TEXT NOT NULL,
    -- Why the last attempt was lost or is repeated, in one line.
    trouble TEXT NOT NULL,
    -- What the client asks by: `key=value` lines, each with a line end before and after.
    labels TEXT NOT NULL,
    idempotency_key TEXT,
    -- The SHA-256 of the request that came with the key.
    request_digest TEXT NOT NULL,
    -- Where its end is told; empty: nowhere.
    callback_url TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX jobs_by_key ON jobs (principal, idempotency_key) WHERE idempotency_key IS NOT NULL;
-- Each principal has its turn, and its own jobs in their order.
CREATE INDEX jobs_ready ON jobs (principal, priority DESC, run_at_ms, number) WHERE state = 'ready';
-- Those of the future are apart: they would stand in the way of the ready ones.
CREATE INDEX jobs_scheduled ON jobs (run_at_ms, principal) WHERE state = 'scheduled';
-- Not by the end of the lease: each renewal would write the index then. Few jobs run at a time.
CREATE INDEX jobs_running ON jobs (number) WHERE state = 'running';
CREATE INDEX jobs_expiring ON jobs (expires_ms) WHERE expires_ms IS NOT NULL AND state IN ('ready', 'scheduled');
CREATE INDEX jobs_of_principal ON jobs (principal, number);
CREATE INDEX jobs_ended ON jobs (finished_ms, state) WHERE finished_ms IS NOT NULL;

-- What happened to each job, in order.
CREATE TABLE job_events (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    job INTEGER NOT NULL REFERENCES jobs (number) ON DELETE CASCADE,
    at_ms INTEGER NOT NULL,
    kind TEXT NOT NULL,
    -- JSON.
    data TEXT NOT NULL
) STRICT;
CREATE INDEX job_events_of_job ON job_events (job, number);

-- The ends of jobs that are told to somebody, by webhook. One row for each job with a callback that has ended.
CREATE TABLE deliveries (
    job INTEGER PRIMARY KEY REFERENCES jobs (number) ON DELETE CASCADE,
    -- `waiting`, `delivered` or `failed`.
    state TEXT NOT NULL,
    -- How often it was begun. What an older attempt writes is not taken.
    attempt INTEGER NOT NULL,
    -- When it is begun again, also if who began it is lost.
    next_ms INTEGER NOT NULL,
    -- Why the last attempt failed; empty if none did.
    trouble TEXT NOT NULL
) STRICT;
CREATE INDEX deliveries_waiting ON deliveries (next_ms) WHERE state = 'waiting';

-- Jobs that are submitted again and again.
CREATE TABLE schedules (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    principal TEXT NOT NULL,
    -- When, as a cron expression, and the time zone in which it is meant.
    cron TEXT NOT NULL,
    zone TEXT NOT NULL,
    request TEXT NOT NULL,
    created_ms INTEGER NOT NULL,
    next_ms INTEGER NOT NULL,
    -- The job that was submitted last; empty before the first.
    last_job TEXT NOT NULL,
    -- How many were submitted, and how many were not, since the one before had not ended.
    submitted INTEGER NOT NULL,
    skipped INTEGER NOT NULL
) STRICT;
CREATE INDEX schedules_due ON schedules (next_ms);
CREATE INDEX schedules_of_principal ON schedules (principal, number);

-- Tokens of clients. What a client sends is not here, only its digest.
CREATE TABLE tokens (
    id TEXT PRIMARY KEY,
    principal TEXT NOT NULL,
    -- The names of scopes, with spaces between.
    scopes TEXT NOT NULL,
    -- The SHA-256 of the token, in hexadecimal.
    digest TEXT NOT NULL UNIQUE,
    created_ms INTEGER NOT NULL,
    -- NULL: never.
    expires_ms INTEGER,
    revoked_ms INTEGER
) STRICT;

-- Values of the service as a whole, such as the key from which those of webhooks are made.
CREATE TABLE settings (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT;
