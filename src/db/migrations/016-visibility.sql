-- Choices of users about topics and each other: topics that they follow or do not want to see, people whom they muted.
create table user_topic (
  realm_id integer not null,
  user_id integer not null,
  channel_id integer not null,
  topic text not null,
  topic_folded text collate "C" not null,
  policy smallint not null,
  updated_at bigint not null,
  primary key (realm_id, user_id, channel_id, topic_folded)
);
create index user_topic_of on user_topic (realm_id, channel_id, topic_folded);

create table muted_user (
  realm_id integer not null,
  user_id integer not null,
  muted_id integer not null,
  muted_at bigint not null,
  place integer not null,
  primary key (realm_id, user_id, muted_id)
);
alter table message add column muted_for int4multirange;
alter table sent add column policy smallint;
