-- The templates that an operator published for all servers, by the SHA-256 of their files. The last one published counts.
CREATE TABLE published_templates (
    digest TEXT NOT NULL PRIMARY KEY,
    -- An object of JSON: the text of each file by its path, such as `mine/first/template.toml`.
    files TEXT NOT NULL,
    published_ms INTEGER NOT NULL
) STRICT;
