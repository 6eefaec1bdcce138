-- Columns, tables and indexes for searches by words and by what messages contain.
alter table message
  add column has_link boolean not null default false,
  add column has_image boolean not null default false,
  add column has_attachment boolean not null default false;

create index message_channel_link on message (realm_id, channel_id, id) where has_link;
create index message_channel_image on message (realm_id, channel_id, id) where has_image;
create index message_channel_attachment on message (realm_id, channel_id, id) where has_attachment;
create index message_conversation_link on message (realm_id, conversation_id, id)
  where has_link and conversation_id is not null;
create index message_conversation_image on message (realm_id, conversation_id, id)
  where has_image and conversation_id is not null;
create index message_conversation_attachment on message (realm_id, conversation_id, id)
  where has_attachment and conversation_id is not null;

create table message_search (
  realm_id integer not null,
  message_id bigint not null,
  words tsvector not null,
  primary key (realm_id, message_id)
);

create table search_pending (
  realm_id integer not null,
  message_id bigint not null,
  primary key (realm_id, message_id)
);

create table search_chunk (
  realm_id integer not null,
  place bigint not null,
  low bigint not null,
  messages integer not null,
  primary key (realm_id, place, low)
);

create table search_word (
  realm_id integer not null,
  place bigint not null,
  low bigint not null,
  word text collate "C" not null,
  messages bigint[] not null,
  primary key (realm_id, place, low, word)
) with (fillfactor = 80);

create table search_progress (
  realm_id integer primary key references realm,
  through bigint not null
);
