-- Processes that serve the database together (src/db/cluster): the name that all of them commit by, when one of them has last
-- added to the time that servers have run, and who they are.
alter table server_state add column if not exists cluster text;
alter table server_state add column if not exists ticked_at bigint;
create table if not exists process (
  id text primary key,
  address text not null,
  program text not null,
  secret_fingerprint text not null,
  seen_at bigint not null
);
