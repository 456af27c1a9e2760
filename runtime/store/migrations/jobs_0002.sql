-- The trace that a job is a part of, as its request came with it (W3C Trace Context): `traceparent`, and `tracestate` behind a
-- space. Empty if none.
ALTER TABLE jobs ADD COLUMN trace TEXT NOT NULL DEFAULT '';
