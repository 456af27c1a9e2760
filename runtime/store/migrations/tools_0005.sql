-- Where the process that is discovering runs: numbers of processes mean nothing on other machines. 0 where that is not known.
ALTER TABLE servers ADD COLUMN owner_place INTEGER NOT NULL DEFAULT 0;
