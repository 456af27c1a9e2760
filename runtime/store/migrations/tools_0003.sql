-- What is known of a server is kept by its entry: its name and the file that the entry stands in. What was kept by the name alone
-- could be of any file, so it is listed anew.
DELETE FROM servers;
DELETE FROM definitions;
DELETE FROM uses;
DELETE FROM learned;
