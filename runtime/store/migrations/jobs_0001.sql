-- Jobs, one row each. What is here was promised to somebody: each commit waits for the disk.
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
    request_digest TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX jobs_by_key ON jobs (principal, idempotency_key) WHERE idempotency_key IS NOT NULL;
CREATE INDEX jobs_ready ON jobs (priority DESC, run_at_ms, number) WHERE state = 'ready';
-- Those of the future are apart: they would stand in the way of the ready ones.
CREATE INDEX jobs_scheduled ON jobs (run_at_ms) WHERE state = 'scheduled';
CREATE INDEX jobs_running ON jobs (lease_until_ms) WHERE state = 'running';
CREATE INDEX jobs_expiring ON jobs (expires_ms) WHERE expires_ms IS NOT NULL AND state IN ('ready', 'scheduled');
CREATE INDEX jobs_of_principal ON jobs (principal, number);
CREATE INDEX jobs_ended ON jobs (finished_ms) WHERE finished_ms IS NOT NULL;

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
