-- The tables of version 1, the oldest. Each begins with why it exists. Every row belongs to one realm, and every key
-- begins with it. Times are milliseconds since the Unix epoch. Positions count the rows of a realm's log from 1.
-- Spans are half-open in positions: the row that opens one is inside it, the row that closes it is outside.

-- An organization. `epoch` is part of every queue id and changes when the log's past can no longer be trusted.
create table realm (
  id integer primary key,
  host text not null unique,
  epoch text not null,
  created_at bigint not null,
  settings jsonb not null
);

-- What every commit locks first. It changes only when the rules or the server that holds the database do: a counter
-- written at each commit would slow down threefold beside an old snapshot.
create table realm_lock (
  realm_id integer primary key references realm,
  rules_position bigint not null default 0,
  holder text not null
);

-- How long servers have run on this database, and what the log's trust hangs on (see log_trust). One row.
-- Queues expire by `ran_for`, so that a night without a server kills none.
create table server_state (
  one boolean primary key default true check (one),
  ran_for bigint not null default 0,
  trust text not null default '',
  clean_stop boolean not null default true
);
insert into server_state default values;

-- The log, like the messages, has no foreign keys: only functions of ours write it, and each check costs a send 20 µs.
-- One row per stored event, in commit order, gapless. The row of a message holds no content: `message_id`
-- leads to it, so that content is stored once.
create table log (
  realm_id integer not null,
  position bigint not null,
  type text not null,
  payload jsonb not null,
  audience jsonb not null,
  width integer not null default 1,
  message_id bigint,
  queue_id text,
  local_id text,
  at bigint not null,
  primary key (realm_id, position)
);

-- What became of a commit, kept for an hour, so that a writer that lost its connection can ask. `outcomes` is null
-- for a commit that was declared void before it arrived.
create table commit_outcome (
  realm_id integer not null,
  commit_id text not null,
  outcomes text,
  at bigint not null,
  primary key (realm_id, commit_id)
);
create index commit_outcome_at on commit_outcome (at);

-- Users and bots. The role stands in role_span; a user without an open one is deactivated. API keys are derived from
-- `key_version`, so nothing here can be used to sign in but the password's hash.
create table account (
  realm_id integer not null references realm,
  id integer not null,
  email text not null,
  full_name text not null,
  is_bot boolean not null default false,
  bot_type integer,
  bot_owner_id integer,
  timezone text not null default '',
  avatar_version integer not null default 1,
  password_hash text,
  key_version integer not null default 1,
  joined_at bigint not null,
  primary key (realm_id, id)
);
create unique index account_email on account (realm_id, lower(email));

-- Which role a user had when. Audiences of past events are judged by it.
create table role_span (
  realm_id integer not null,
  user_id integer not null,
  role integer not null,
  opened bigint not null,
  closed bigint,
  primary key (realm_id, user_id, opened),
  foreign key (realm_id, user_id) references account
);

-- User groups. A system group (`role:members`, ...) has no member rows: its members follow from roles.
create table user_group (
  realm_id integer not null references realm,
  id integer not null,
  name text not null,
  description text not null default '',
  is_system boolean not null default false,
  primary key (realm_id, id)
);

-- Which group contained which, when.
create table subgroup_span (
  realm_id integer not null,
  group_id integer not null,
  subgroup_id integer not null,
  opened bigint not null,
  closed bigint,
  primary key (realm_id, group_id, subgroup_id, opened),
  foreign key (realm_id, group_id) references user_group,
  foreign key (realm_id, subgroup_id) references user_group
);

-- Channels. `permissions` maps each group setting to its value: a group's id, or {direct_members, direct_subgroups}.
create table channel (
  realm_id integer not null references realm,
  id integer not null,
  name text not null,
  description text not null default '',
  rendered_description text not null default '',
  creator_id integer,
  created_at bigint not null,
  is_private boolean not null default false,
  is_web_public boolean not null default false,
  history_shared boolean not null default true,
  is_archived boolean not null default false,
  is_default boolean not null default false,
  topics_policy text not null default 'inherit',
  retention_days integer,
  permissions jsonb not null,
  first_message_id bigint,
  primary key (realm_id, id)
);
create unique index channel_name on channel (realm_id, lower(name));

-- Who was subscribed to which channel, when. It decides who receives and who may later read a message.
create table subscription_span (
  realm_id integer not null,
  channel_id integer not null,
  user_id integer not null,
  opened bigint not null,
  closed bigint,
  primary key (realm_id, channel_id, user_id, opened),
  foreign key (realm_id, channel_id) references channel,
  foreign key (realm_id, user_id) references account
);
create index subscription_span_user on subscription_span (realm_id, user_id, channel_id);

-- A user's own settings for a channel; they outlive the subscription, so that a returning user finds them again.
-- A notification setting that is absent from `notify` is inherited.
create table subscription_setting (
  realm_id integer not null,
  user_id integer not null,
  channel_id integer not null,
  color text not null,
  is_muted boolean not null default false,
  pin_to_top boolean not null default false,
  notify jsonb not null default '{}',
  primary key (realm_id, user_id, channel_id),
  foreign key (realm_id, channel_id) references channel,
  foreign key (realm_id, user_id) references account
);

-- The set of people of direct messages, made by its first message, whose id it takes. `member_key` is the sorted
-- list of user ids, joined by commas.
create table conversation (
  realm_id integer not null references realm,
  id bigint not null,
  member_key text not null,
  primary key (realm_id, id)
);
create unique index conversation_member_key on conversation (realm_id, member_key);

-- The same, from the user's side.
create table conversation_member (
  realm_id integer not null,
  user_id integer not null,
  conversation_id bigint not null,
  primary key (realm_id, user_id, conversation_id),
  foreign key (realm_id, conversation_id) references conversation
);

-- Messages. `id` is the position of the message's event; `channel_since` that of the send or of the last move into
-- its channel. Either channel and topic are set, or the conversation.
create table message (
  realm_id integer not null,
  id bigint not null,
  sender_id integer not null,
  channel_id integer,
  channel_since bigint,
  topic text not null default '',
  conversation_id bigint,
  content text not null,
  rendered text not null,
  client text not null,
  read_by_sender boolean not null,
  sent_at bigint not null,
  primary key (realm_id, id),
  check ((channel_id is null) = (channel_since is null) and (channel_id is null) <> (conversation_id is null))
);
create index message_topic on message (realm_id, channel_id, lower(topic), id);
create index message_channel on message (realm_id, channel_id, id);
create index message_conversation on message (realm_id, conversation_id, id) where conversation_id is not null;
create index message_moved on message (realm_id, channel_id, id) where channel_since <> id;
create index message_sender on message (realm_id, sender_id, id);

-- Sends by clients that echo locally, remembered for a day: the same send again gets the first answer.
create table sent (
  realm_id integer not null,
  sender_id integer not null,
  queue_id text not null,
  local_id text not null,
  digest text not null,
  message_id bigint not null,
  at bigint not null,
  primary key (realm_id, sender_id, queue_id, local_id)
);
create index sent_at on sent (at);

-- Event queues. In memory a queue is a cache of this. `acked` and `seen` (in the servers' running time) are written
-- back lazily: a client brings its own cursor.
create table event_queue (
  realm_id integer not null references realm,
  id text not null,
  user_id integer not null,
  description jsonb not null,
  acked bigint not null,
  idle_ms bigint not null,
  seen bigint not null,
  primary key (realm_id, id),
  foreign key (realm_id, user_id) references account
);
create index event_queue_expiry on event_queue ((seen + idle_ms));
