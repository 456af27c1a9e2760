-- What a person was shown of an entry and approved, so that a changed one is shown beside it. Of those of before, nothing is known.
ALTER TABLE trusted ADD COLUMN told TEXT NOT NULL DEFAULT '';
