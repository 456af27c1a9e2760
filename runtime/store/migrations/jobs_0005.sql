-- How often an attempt found no room on its server. It is not counted as one.
ALTER TABLE jobs ADD COLUMN waits INTEGER NOT NULL DEFAULT 0;
-- Requests and reports that are too long for the row of their job: each step of a job writes its row anew.
CREATE TABLE job_texts (
    job INTEGER NOT NULL REFERENCES jobs (number) ON DELETE CASCADE,
    -- `request` or `report`.
    kind TEXT NOT NULL,
    principal TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (job, kind)
) STRICT;
-- How much each principal keeps is counted without a look at the texts, and its oldest ones are found.
CREATE INDEX job_texts_of_principal ON job_texts (principal, job, bytes);
