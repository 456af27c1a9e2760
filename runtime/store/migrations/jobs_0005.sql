-- How often an attempt found no room on its server, which is not counted as one, and whether one lacked memory in the middle: those after
-- it reserve theirs.
ALTER TABLE jobs ADD COLUMN waits INTEGER NOT NULL DEFAULT 0;
ALTER TABLE jobs ADD COLUMN lacked_memory INTEGER NOT NULL DEFAULT 0;
-- Requests and reports that are too long for the row of their job: each step of a job writes its row anew.
CREATE TABLE job_texts (
    job INTEGER NOT NULL REFERENCES jobs (number) ON DELETE CASCADE,
    -- `request` or `report`.
    kind TEXT NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (job, kind)
) STRICT;
-- The jobs with such texts, and how many bytes they are. They are counted and chosen without a look at the texts.
CREATE TABLE long_jobs (
    job INTEGER PRIMARY KEY REFERENCES jobs (number) ON DELETE CASCADE,
    principal TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    -- NULL: it waits or runs.
    finished_ms INTEGER
) STRICT;
CREATE INDEX long_jobs_of_principal ON long_jobs (principal, finished_ms, bytes);
CREATE INDEX long_jobs_ended ON long_jobs (finished_ms, bytes) WHERE finished_ms IS NOT NULL;
