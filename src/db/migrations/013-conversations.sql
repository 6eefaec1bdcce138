-- Differences of users' copies of a message: mentions, alert words, stars, read state.
alter table message
  add column channel_wildcard boolean not null default false,
  add column group_mentioned int4multirange,
  add column topic_wildcard int4multirange,
  add column alerted int4multirange;

create table personal_message (
  realm_id integer not null,
  user_id integer not null,
  message_id bigint not null,
  mentioned boolean not null default false,
  starred boolean not null default false,
  collapsed boolean not null default false,
  historical boolean not null default false,
  unread_since bigint,
  primary key (realm_id, user_id, message_id)
);
create index personal_message_of on personal_message (realm_id, message_id);
create index personal_message_starred on personal_message (realm_id, user_id, message_id) where starred;
create index personal_message_unread on personal_message (realm_id, user_id, message_id) where unread_since is not null;

-- Read state. Up to now every message counted as read.
create table read_floor (
  realm_id integer not null,
  user_id integer not null,
  position bigint not null,
  primary key (realm_id, user_id)
);
insert into read_floor (realm_id, user_id, position)
select a.realm_id, a.id, newest.position
  from account a join (select realm_id, max(position) as position from log group by realm_id) newest using (realm_id);

create table read_ranges (
  realm_id integer not null,
  user_id integer not null,
  place bigint not null,
  low bigint not null,
  ranges int8multirange not null,
  primary key (realm_id, user_id, place, low)
);
create index message_channel_mentioning on message (realm_id, channel_id, id)
  where channel_wildcard or group_mentioned is not null or topic_wildcard is not null;
create index message_conversation_mentioning on message (realm_id, conversation_id, id)
  where conversation_id is not null and (channel_wildcard or group_mentioned is not null or topic_wildcard is not null);
create index message_channel_alerting on message (realm_id, channel_id, id) where alerted is not null;
create index message_conversation_alerting on message (realm_id, conversation_id, id)
  where conversation_id is not null and alerted is not null;

-- The alert words of users who have some: a list of texts.
create table alert_words (
  realm_id integer not null,
  user_id integer not null,
  words jsonb not null,
  primary key (realm_id, user_id),
  foreign key (realm_id, user_id) references account
);

-- Reactions: the users who put an emoji under a message, in the order in which they did, and the name of the first, which
-- counts for all. One row for each emoji, so that a thousand users are read by one look. `position`: when the first came.
create table reaction (
  realm_id integer not null,
  message_id bigint not null,
  reaction_type text not null,
  emoji_code text not null,
  emoji_name text not null,
  users integer[] not null,
  position bigint not null,
  primary key (realm_id, message_id, reaction_type, emoji_code)
);

-- Additions to messages after they were sent: about how many bytes the reactions and submessages of a message have in
-- an answer, so that the size of an answer is known before any is read.
create table message_addition (
  realm_id integer not null,
  message_id bigint not null,
  bytes integer not null,
  primary key (realm_id, message_id)
);

-- Submessages: what makes a message a poll or a to-do list, and what is done in it. The first comes with the message and
-- has its id; the id of each later one is the position of its row. A later one of the same sender with the same `subject`
-- takes its place: of a user's votes for an option only the last counts.
create table submessage (
  realm_id integer not null,
  message_id bigint not null,
  id bigint not null,
  sender_id integer not null,
  msg_type text not null,
  content text not null,
  subject text,
  primary key (realm_id, message_id, id)
);

-- Linkifiers of an organization, in their order, as a list of {id, pattern, url_template}: few, and changed as a whole. No
-- id up to `last_id` is given again.
create table realm_linkifiers (
  realm_id integer primary key references realm,
  last_id integer not null,
  linkifiers jsonb not null
);

-- Custom emoji, those out of use included: reactions and messages that have them still show them. `file` and `still`: the
-- names of its pictures; `still` is null for an image that is no animation. `opened` and `closed`: the positions of the
-- rows that made it and took it out of use.
create table custom_emoji (
  realm_id integer not null references realm,
  id integer not null,
  name text not null,
  file text not null,
  still text,
  author_id integer,
  opened bigint not null,
  closed bigint,
  primary key (realm_id, id)
);
