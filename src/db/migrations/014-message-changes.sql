-- Changes of messages after they were sent: edits, moves, deletions.
alter table message
  add column edited_at bigint,
  add column moved_at bigint,
  add column moved_from integer;
create index message_moved_from on message (realm_id, moved_from, id) where moved_from is not null;
create index message_moved_into on message (realm_id, channel_id, moved_from, id) where moved_from is not null;

create table message_edit (
  realm_id integer not null,
  message_id bigint not null,
  position bigint not null,
  editor_id integer,
  at bigint not null,
  prev_content text,
  prev_rendered text,
  prev_topic text,
  topic text,
  prev_channel_id integer,
  channel_id integer,
  primary key (realm_id, message_id, position)
);

create index read_ranges_of on read_ranges (realm_id, place, low);
