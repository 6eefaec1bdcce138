-- Channels that messages have left for public ones: who held them there goes on to hold them.
create table kept_place (
  realm_id integer not null,
  message_id bigint not null,
  channel_id integer not null,
  since bigint not null,
  until bigint not null,
  was_private boolean not null,
  was_shared boolean not null,
  for_guests boolean not null,
  primary key (realm_id, message_id, until)
);
create index kept_place_channel on kept_place (realm_id, channel_id, message_id);

-- Positions: what came to the channel up to there, from one that its people left, they do not hold any more.
alter table channel
  add column kept_after bigint not null default 0,
  add column guests_kept_after bigint not null default 0;
