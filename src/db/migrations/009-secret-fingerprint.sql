-- Null until the next start of a server, which stores it.
alter table server_state add column secret_fingerprint text;
