-- Where several processes serve the database: which of them has a queue, by a request that came when (microseconds of the
-- database's clock), and whether a client was connected to it there when that was stored (src/events/queues/queue-moves.ts).
alter table event_queue add column if not exists held_by text;
alter table event_queue add column if not exists held_since bigint not null default 0;
alter table event_queue add column if not exists connected boolean not null default false;
