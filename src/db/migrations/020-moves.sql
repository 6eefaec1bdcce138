-- A move of many messages writes one row for all of them; each message names its moves in its own row.
alter table message add column moves bigint[];

create table message_move (
  realm_id integer not null,
  id bigint not null,
  editor_id integer not null,
  at bigint not null,
  prev_topic text,
  topic text,
  prev_channel_id integer,
  channel_id integer,
  messages integer not null,
  primary key (realm_id, id)
);

-- The newest move when the words were written.
alter table message_search add column move bigint;

-- Moved messages that are not in the index of words where they are now.
create table search_moved (
  realm_id integer not null,
  place bigint not null,
  low bigint not null,
  high bigint not null,
  id bigint not null,
  messages bigint[] not null,
  primary key (realm_id, place, id)
);

drop function if exists place_messages_v1(integer, bigint, bigint[], integer, text, text, jsonb, bigint);
drop function if exists tell_first_v1(integer, integer, jsonb);
drop function if exists users_v1(integer[]);
