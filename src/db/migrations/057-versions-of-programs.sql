-- Programs of two versions may serve together while they are replaced one by one: which version of the tables each process knows,
-- and what all of them know (src/db/cluster/cluster.sql). Programs before this step do not say it, and know 56.
alter table process add column if not exists speaks integer not null default 56;
alter table process add column if not exists seen_ran bigint;
alter table server_state add column if not exists speaks integer not null default 56;
