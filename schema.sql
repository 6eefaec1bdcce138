-- The tables of the newest schema. Each begins with why it exists. Every row belongs to one realm, and every key
-- begins with it. Times are milliseconds since the Unix epoch. Positions count the rows of a realm's log from 1.
-- Spans are half-open in positions: the row that opens one is inside it, the row that closes it is outside.

-- An organization. `epoch` is part of every queue id and changes when the log's past can no longer be trusted.
create table realm (
  id integer primary key,
  host text not null unique,
  epoch text not null,
  created_at bigint not null,
  settings jsonb not null,
  -- When each channel's traffic was counted last.
  traffic_counted_at bigint not null default 0,
  -- For how many days messages are kept by place, and since when that is wanted (src/chat/changing/message-expiry).
  message_terms jsonb not null default '{}'
);

-- The row that every commit locks first. It is updated only when the rules change or another server takes the database
-- over: with a counter in it that each commit updates, commits took three times as long beside an old snapshot.
create table realm_lock (
  realm_id integer primary key references realm,
  rules_position bigint not null default 0,
  holder text not null
);

-- Commands of operators for the server that holds the database, where they cannot reach it otherwise
-- (src/chat/server/commands). `command` and `answer` are encrypted by the server's secret. `taken_at`: the server has begun
-- with it. Whoever has asked removes the row.
create table server_command (
  id text primary key,
  command text not null,
  created_at bigint not null,
  taken_at bigint,
  answer text
);

-- The state of all servers together; one row. `ran_for`: milliseconds that servers have run on this database; queues
-- expire by it, so that none expires while no server runs. `trust` tells at a start whether the log's past can be
-- trusted (src/db/server-state.ts). `secret_fingerprint` is the salt and the hash
-- of the secret that API keys were last derived from: a start with another one warns that all keys are void. `id` tells which
-- database this is, which the folder for files is marked with; null: nobody has asked yet. `speaks`: the version of the tables
-- that all programs know which serve it.
create table server_state (
  one boolean primary key default true check (one),
  ran_for bigint not null default 0,
  trust text not null default '',
  secret_fingerprint text,
  id uuid,
  cluster text,
  ticked_at bigint,
  speaks integer not null default 56
);
insert into server_state default values;

-- Processes that serve the database together, with when each has last said so, by the database's clock (src/db/cluster) and by the
-- time that servers have run, and the version of the tables that it knows.
create table process (
  id text primary key,
  address text not null,
  program text not null,
  secret_fingerprint text not null,
  seen_at bigint not null,
  speaks integer not null default 56,
  seen_ran bigint
);

-- Which of them does a job that one is enough for, until when unless it says so again (src/jobs/job-runs.ts). Empty where a process
-- is alone.
create table job_run (
  name text primary key,
  process text not null,
  until bigint not null
);

-- The log, like the messages, has no foreign keys: only functions of ours write it, and each check costs a send 20 µs.
-- One row per stored event, in commit order, gapless. The row of a message holds no content: `message_id`
-- leads to it, so that content is stored once. `at` is the clock's time: where the clock is set back it falls.
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
-- A deletion takes the contents of all submessages from the log, those too that others replaced.
create index log_submessage on log (realm_id, ((payload ->> 'message_id')::bigint)) where type = 'submessage';

-- The outcome of each commit, kept for an hour, so that a writer that lost its connection can ask for it. `outcomes` is
-- null for a commit that was declared void before it arrived.
create table commit_outcome (
  realm_id integer not null,
  commit_id text not null,
  outcomes text,
  at bigint not null,
  primary key (realm_id, commit_id)
);
create index commit_outcome_at on commit_outcome (at);

-- Users and bots. The role stands in role_span; a user without an open one is deactivated. API keys are derived from
-- `key_version`, so nothing here can be used to sign in but the password's hash. `settings` holds only what differs
-- from the defaults.
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
  -- The token of the uploaded picture, part of its files' names; null: there is none.
  avatar text,
  password_hash text,
  key_version integer not null default 1,
  joined_at bigint not null,
  settings jsonb not null default '{}',
  must_reset_password boolean not null default false,
  -- The address as `fold` (src/chat/ground/realm/domain-values.ts) makes it, for comparisons; likewise all columns `*_folded`. SQL's
  -- own functions for upper and lower case depend on the database's locale.
  email_folded text collate "C" not null,
  primary key (realm_id, id)
);
create unique index account_email on account (realm_id, email_folded);

-- The roles of users over time. The audiences of past events are found by them.
create table role_span (
  realm_id integer not null,
  user_id integer not null,
  role integer not null,
  opened bigint not null,
  closed bigint,
  primary key (realm_id, user_id, opened),
  foreign key (realm_id, user_id) references account
);

-- User groups. A system group (`role:members`, ...) has no member rows: its members follow from roles. `permissions`
-- maps each setting to its value, as a channel's does.
create table user_group (
  realm_id integer not null references realm,
  id integer not null,
  name text not null,
  description text not null default '',
  is_system boolean not null default false,
  deactivated boolean not null default false,
  creator_id integer,
  created_at bigint,
  permissions jsonb not null default '{}',
  primary key (realm_id, id)
);

-- The direct members of groups over time. Without foreign keys, like subscriptions: thousands are written at once.
create table group_member_span (
  realm_id integer not null,
  group_id integer not null,
  user_id integer not null,
  opened bigint not null,
  closed bigint,
  primary key (realm_id, group_id, user_id, opened)
);
create index group_member_span_user on group_member_span (realm_id, user_id);

-- The direct subgroups of groups over time.
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
  folder_id integer,
  -- `weekly_traffic`: the average number of messages in a week; null while the channel is younger than a week.
  is_recently_active boolean not null default true,
  weekly_traffic integer,
  name_folded text collate "C" not null,
  -- Positions: what came to the channel up to there, from one that its people left, they do not hold any more, and guests.
  kept_after bigint not null default 0,
  guests_kept_after bigint not null default 0,
  primary key (realm_id, id)
);
create unique index channel_name on channel (realm_id, name_folded);

-- Channel folders: groups of channels in clients' sidebars, shown in the order of `place`.
create table channel_folder (
  realm_id integer not null references realm,
  id integer not null,
  name text not null,
  description text not null default '',
  rendered_description text not null default '',
  place integer not null,
  creator_id integer,
  created_at bigint not null,
  is_archived boolean not null default false,
  primary key (realm_id, id)
);

-- Default channel groups: channels that a new user can be subscribed to together.
create table default_channel_group (
  realm_id integer not null references realm,
  id integer not null,
  name text not null,
  description text not null default '',
  channel_ids jsonb not null,
  primary key (realm_id, id)
);

-- The subscriptions of users over time. They decide who receives a message and who may read it later. Like the settings
-- below without foreign keys: thousands are written at once, and each check took longer than the row.
-- `reads_from` is `opened`, or an earlier position from which a new account was given the channel's messages: it holds
-- them as if it had received them, but they are not unread.
create table subscription_span (
  realm_id integer not null,
  channel_id integer not null,
  user_id integer not null,
  opened bigint not null,
  closed bigint,
  reads_from bigint not null,
  primary key (realm_id, channel_id, user_id, opened)
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
  primary key (realm_id, user_id, channel_id)
);

-- A conversation of direct messages between a set of users. Its first message makes it; its id is that of the message.
-- `member_key`: the sorted ids of the users, joined by commas.
create table conversation (
  realm_id integer not null references realm,
  id bigint not null,
  member_key text not null,
  primary key (realm_id, id)
);
create unique index conversation_member_key on conversation (realm_id, member_key);

-- The conversations of each user.
create table conversation_member (
  realm_id integer not null,
  user_id integer not null,
  conversation_id bigint not null,
  primary key (realm_id, user_id, conversation_id),
  foreign key (realm_id, conversation_id) references conversation
);

-- Messages. `id` is the position of the message's event; `channel_since` that of the send or of the last move into
-- its channel. Either channel and topic are set, or the conversation. `sent_at` is the clock's time, which falls where the
-- clock is set back; `ordered_at` never falls from one id to the next, so that messages can be searched by time; null
-- where it is the same as `sent_at`.
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
  topic_folded text collate "C" not null,
  ordered_at bigint,
  -- Mentions by other means than a name: everybody who gets it, or these users. The same sets are in the message's row
  -- of the log. Users mentioned by name have rows of personal_message.
  channel_wildcard boolean not null default false,
  group_mentioned int4multirange,
  topic_wildcard int4multirange,
  -- The receivers for whom it contains an alert word.
  alerted int4multirange,
  -- When its content was edited last, and when it was moved last, but for topics that were only resolved.
  edited_at bigint,
  moved_at bigint,
  -- The channel in which it was sent; null while it is in that one.
  moved_from integer,
  has_link boolean not null default false,
  has_image boolean not null default false,
  has_attachment boolean not null default false,
  -- The receivers who had muted the sender: for them it was read from the start. Of a notice that a topic is resolved all
  -- but some, without ends.
  muted_for int4multirange,
  -- The newest 100 of its moves, by their ids in message_move, the newest first; null where it was never moved.
  moves bigint[],
  -- With channel_wildcard: it mentions everybody who was in this channel at this position; null: who was in the channel in
  -- which it was sent, when it was sent. Set by an edit of a message that was moved.
  wildcard_in integer,
  wildcard_at bigint,
  -- And these, who at the edit held it otherwise.
  wildcard_also int4multirange,
  primary key (realm_id, id),
  check ((channel_id is null) = (channel_since is null) and (channel_id is null) <> (conversation_id is null))
);
create index message_topic on message (realm_id, channel_id, topic_folded, id);
create index message_channel on message (realm_id, channel_id, id);
create index message_conversation on message (realm_id, conversation_id, id) where conversation_id is not null;
create index message_moved on message (realm_id, channel_id, id) where channel_since <> id;
create index message_moved_from on message (realm_id, moved_from, id) where moved_from is not null;
create index message_moved_into on message (realm_id, channel_id, moved_from, id) where moved_from is not null;
create index message_channel_sender on message (realm_id, channel_id, sender_id, id);
-- Empty where the clock was never set back.
create index message_ordered on message (realm_id, id) where ordered_at is not null;

-- The part of a message that is one user's only: that it mentions them by name, what they made of it, that they hold it
-- though no subscription says so. Whoever has a row holds the message. `unread_since`: it counts as unread, although
-- their read state says otherwise, if nothing later than this position made it read.
create table personal_message (
  realm_id integer not null,
  user_id integer not null,
  message_id bigint not null,
  mentioned boolean not null default false,
  starred boolean not null default false,
  collapsed boolean not null default false,
  -- They did not receive it when it was sent.
  historical boolean not null default false,
  unread_since bigint,
  primary key (realm_id, user_id, message_id)
);
create index personal_message_of on personal_message (realm_id, message_id);
create index personal_message_starred on personal_message (realm_id, user_id, message_id) where starred;
create index personal_message_unread on personal_message (realm_id, user_id, message_id) where unread_since is not null;

-- The alert words of users who have some: a list of texts.
create table alert_words (
  realm_id integer not null,
  user_id integer not null,
  words jsonb not null,
  primary key (realm_id, user_id),
  foreign key (realm_id, user_id) references account
);

-- Sends by clients that echo locally, remembered for a day: the same send again gets the first answer.
create table sent (
  realm_id integer not null,
  sender_id integer not null,
  queue_id text not null,
  local_id text not null,
  digest text not null,
  message_id bigint not null,
  at bigint not null,
  -- The policy that the topic got for the sender; null: it stayed as it was.
  policy smallint,
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
  -- Where several processes serve the database: which of them has it, by a request that came when (microseconds of the
  -- database's clock), and whether a client was connected to it there when that was stored.
  held_by text,
  held_since bigint not null default 0,
  connected boolean not null default false,
  primary key (realm_id, id),
  foreign key (realm_id, user_id) references account
);
create index event_queue_expiry on event_queue ((seen + idle_ms));
-- To find all queues of a user: they are deleted under the log's lock when a row ends them.
create index event_queue_owner on event_queue (user_id, realm_id);

-- Unfinished commands over many items (src/chat/ground/bulk): their remaining chunks are done after a crash, too. `args`
-- describes all items; the first `done` of them are done. Stored uncompressed, which makes the first commit faster. `claimed_by`:
-- which of several processes is at it, until when unless it says so again.
create table unfinished_work (
  realm_id integer not null references realm,
  id text not null,
  kind text not null,
  args jsonb not null,
  at bigint not null,
  done integer not null default 0,
  claimed_by text,
  claimed_until bigint not null default 0,
  primary key (realm_id, id)
);
alter table unfinished_work alter column args set storage external;

-- Saved snippets: texts that a user keeps to send again. `id`: the position of the row that made the snippet.
-- `version`: the position of the newest row about it; a change that was made from an older version is refused.
create table saved_snippet (
  realm_id integer not null,
  user_id integer not null,
  id bigint not null,
  title text not null,
  content text not null,
  created_at bigint not null,
  version bigint not null,
  primary key (realm_id, user_id, id)
);

-- Items of the lists that only their owners see and that have no table of their own. `noun`: which list it is. `id`: the
-- position of the row that made the item. `version`: the position of the newest row about it; a change that was made from
-- an older version is refused. `value`: its fields. `bytes`: how long they are as JSON.
create table own_item (
  realm_id integer not null,
  user_id integer not null,
  noun text not null,
  id bigint not null,
  version bigint not null,
  value jsonb not null,
  bytes integer not null default 0,
  primary key (realm_id, user_id, noun, id)
);

-- Views that a user keeps in their navigation. `fragment`: the part of an address that names one. `name`: null for those that every
-- client knows. `id`: the position of the row that made it.
create table navigation_view (
  realm_id integer not null,
  user_id integer not null,
  fragment text collate "C" not null,
  id bigint not null,
  is_pinned boolean not null,
  name text,
  primary key (realm_id, user_id, fragment)
);

-- What a user has been told of once, and need not be told again: names of steps. `version`: the position of the newest row.
create table onboarding (
  realm_id integer not null,
  user_id integer not null,
  done jsonb not null,
  version bigint not null,
  primary key (realm_id, user_id)
);

-- Tokens of devices, to which users want pushes. No event tells of them. `kind`: `apns` or `android`. `digest`: SHA-256 of the
-- token, which may be longer than a key. `app_id`: which app of the device it is; null where the client did not say.
-- `registered_at`: when its client last said that it is there.
create table device_token (
  realm_id integer not null,
  user_id integer not null,
  kind text not null,
  digest bytea not null,
  token text not null,
  app_id text,
  registered_at bigint not null,
  primary key (realm_id, user_id, kind, digest)
);

-- Read state. A message is unread for whoever received it by a subscription that is still open, or in a conversation,
-- did not send it as read and had not muted its sender, unless it is up to their `read_floor` or in their `read_ranges`.
-- So whoever leaves a channel has read it, without a row; and so has who marks everything read, with one. What else is
-- unread has an `unread_since` in personal_message. See src/chat/reading/flags/read-state.sql.

-- Everything up to this position of the log is read.
create table read_floor (
  realm_id integer not null,
  user_id integer not null,
  position bigint not null,
  primary key (realm_id, user_id)
);

-- The messages of a place that a user has read. `place`: twice the id of the channel in which they were sent, or twice
-- that of the conversation and one. Ranges extend over ids that are not of the place, so that there are few. A row holds
-- what lies between its `low` and that of the next row, and is divided before it is larger than 1.6 KB (read-state.sql).
create table read_ranges (
  realm_id integer not null,
  user_id integer not null,
  place bigint not null,
  low bigint not null,
  ranges int8multirange not null,
  primary key (realm_id, user_id, place, low)
);
-- For the readers of a message.
create index read_ranges_of on read_ranges (realm_id, place, low);

-- Messages that may mention or alert somebody by other means than a personal row, for searches in places.
create index message_channel_mentioning on message (realm_id, channel_id, id)
  where channel_wildcard or group_mentioned is not null or topic_wildcard is not null;
create index message_conversation_mentioning on message (realm_id, conversation_id, id)
  where conversation_id is not null and (channel_wildcard or group_mentioned is not null or topic_wildcard is not null);
create index message_channel_alerting on message (realm_id, channel_id, id) where alerted is not null;
create index message_conversation_alerting on message (realm_id, conversation_id, id)
  where conversation_id is not null and alerted is not null;

-- Messages that contain something, for searches in places.
create index message_channel_link on message (realm_id, channel_id, id) where has_link;
create index message_channel_image on message (realm_id, channel_id, id) where has_image;
create index message_channel_attachment on message (realm_id, channel_id, id) where has_attachment;
create index message_conversation_link on message (realm_id, conversation_id, id)
  where has_link and conversation_id is not null;
create index message_conversation_image on message (realm_id, conversation_id, id)
  where has_image and conversation_id is not null;
create index message_conversation_attachment on message (realm_id, conversation_id, id)
  where has_attachment and conversation_id is not null;

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

-- Additions to messages after they were sent: about how many bytes the reactions, submessages and shown edits of a
-- message have in an answer, so that the size of an answer is known before any is read.
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

-- Playgrounds of an organization, in the order in which they were made: {"id", "name", "pygments_language", "url_template"}.
-- `last_id`: the last id that was given.
create table realm_playgrounds (
  realm_id integer primary key references realm,
  last_id integer not null,
  playgrounds jsonb not null
);

-- Exports of an organization, in the order in which they were wanted, as a list of records (src/chat/organization/realm-exports).
-- `token`: names the file, and its address; null where there is none, yet or any more. No id up to `last_id` is given again.
create table realm_exports (
  realm_id integer primary key references realm,
  last_id integer not null,
  exports jsonb not null
);

-- Domains to which an organization may restrict the addresses of new accounts, in lower case. `id`: their order.
create table realm_domain (
  realm_id integer not null references realm,
  domain text collate "C" not null,
  id integer not null,
  allow_subdomains boolean not null,
  primary key (realm_id, domain)
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

-- The edits and moves of messages: what each changed, the position of its row, and who did it. `prev_*` are null for what
-- it did not change.
create table message_edit (
  realm_id integer not null,
  message_id bigint not null,
  position bigint not null,
  -- Null where the message was only rendered anew, which is no edit: the row says where its content is in the log.
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

-- Moves of messages: what each replaced, as in message_edit, which has those with another content too, and those of messages
-- that were moved very often. The id is the position of the row times 65,536, and more than that where the messages of one row
-- had different spellings of the topic. `messages`: how many name it; it goes with the last of them.
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

-- Channels that messages have left for public ones, which their people need not be in: who held a message there goes on to
-- hold it. It came there at `since`, and left at `until`; the privacy of the channel is that of then. A message has eight at
-- most, and none in a private channel.
create table kept_place (
  realm_id integer not null,
  message_id bigint not null,
  channel_id integer not null,
  since bigint not null,
  until bigint not null,
  was_private boolean not null,
  was_shared boolean not null,
  -- Guests keep it, too: the channel to which it was moved was web-public.
  for_guests boolean not null,
  primary key (realm_id, message_id, until)
);
create index kept_place_channel on kept_place (realm_id, channel_id, message_id);

-- The words of messages and their topics, for searches. Written beside the sends, a moment later.
create table message_search (
  realm_id integer not null,
  message_id bigint not null,
  words tsvector not null,
  -- The message's newest move when they were written: after another one they are those of an earlier topic.
  move bigint,
  primary key (realm_id, message_id)
);

-- Messages whose words changed after they were written to message_search.
create table search_pending (
  realm_id integer not null,
  message_id bigint not null,
  primary key (realm_id, message_id)
);

-- Messages that were moved into a place, or within it, and are not in the index as they are now: ascending, all of them in
-- [low, high). `id`: the position of the move's row.
create table search_moved (
  realm_id integer not null,
  place bigint not null,
  low bigint not null,
  high bigint not null,
  id bigint not null,
  messages bigint[] not null,
  primary key (realm_id, place, id)
);

-- The index of these words. A place (a channel or a conversation, as in read_ranges) is divided into chunks of about a
-- thousand messages: this one holds those from `low` up to the next one's. `messages`: how many came into it.
create table search_chunk (
  realm_id integer not null,
  place bigint not null,
  low bigint not null,
  messages integer not null,
  primary key (realm_id, place, low)
);

-- The messages of a chunk that have a word; none are listed where there are many. It may name messages that do not have
-- the word any more.
create table search_word (
  realm_id integer not null,
  place bigint not null,
  low bigint not null,
  word text collate "C" not null,
  messages bigint[] not null,
  primary key (realm_id, place, low, word)
) with (fillfactor = 80);

-- Up to which message all are indexed. The words of those up to `renewing` are by the rules of an older program; 0: of none.
create table search_progress (
  realm_id integer primary key references realm,
  through bigint not null,
  renewing bigint not null default 0
);

-- Deleted messages whose words are still in the index, with each place that they were in.
create table search_deleted (
  realm_id integer not null,
  message_id bigint not null,
  place bigint not null,
  primary key (realm_id, message_id, place)
);

-- Chunks in which deleted messages stood. Their words are looked through in order, those up to `through` are done. `is_again`:
-- more messages were deleted meanwhile, so all words are looked through once more. `waits`: only words of messages that are
-- renewed are to be taken, after all are.
create table search_stale (
  realm_id integer not null,
  place bigint not null,
  low bigint not null,
  through text collate "C",
  is_again boolean not null default false,
  waits boolean not null default false,
  primary key (realm_id, place, low)
);

-- Topics that a user muted (1), unmuted in a muted channel (2) or follows (3). `updated_at`: when.
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
create index user_topic_muted on user_topic (realm_id, user_id) where policy = 1;

-- How many topics with a policy a user has, and how many of them are muted: apply_user_topic_v1 keeps it.
create table user_topic_total (
  realm_id integer not null,
  user_id integer not null,
  topics integer not null,
  muted integer not null,
  primary key (realm_id, user_id)
) with (fillfactor = 50);

-- The people whom a user has muted. `place`: the order in which they did.
create table muted_user (
  realm_id integer not null,
  user_id integer not null,
  muted_id integer not null,
  muted_at bigint not null,
  place integer not null,
  primary key (realm_id, user_id, muted_id)
);

-- Statuses: what people say of themselves; a row has a text, an emoji or both. `emoji`: {"emoji_name", "emoji_code",
-- "reaction_type"}. That somebody is away is their setting `presence_enabled`.
create table user_status (
  realm_id integer not null,
  user_id integer not null,
  status_text text not null,
  emoji jsonb,
  primary key (realm_id, user_id)
);

-- The organization's own profile fields, as one list in order: `fields` has their records (src/chat/ground/profiles). Ids up to
-- `last_id` were given already.
create table custom_profile_fields (
  realm_id integer primary key references realm,
  last_id integer not null,
  fields jsonb not null
);

-- What people have in these fields. `value`: a text whatever the type of the field, the word of a choice, the JSON of a list of
-- people's ids. `rendered`: its HTML; null where the type has none.
create table profile_value (
  realm_id integer not null,
  field_id integer not null,
  user_id integer not null,
  value text not null,
  rendered text,
  primary key (realm_id, field_id, user_id)
);

-- When people were last there, in Unix seconds: `active_at`, 0 if never, and `connected_at`, active or not. Written a few
-- seconds after it is known, so a crash loses that much. `update_id`: of the change, the time in milliseconds at which it was
-- learned, rising. `position`: of the newest row of the log that has changed it; what is older is not written any more.
create table presence (
  realm_id integer not null,
  user_id integer not null,
  active_at bigint not null,
  connected_at bigint not null,
  update_id bigint not null,
  position bigint not null,
  primary key (realm_id, user_id)
) with (fillfactor = 50);

-- Files that users uploaded. `path_id`: its name among the files and in its address; nobody can guess it. `width`, `height`
-- and `is_animated`: of pictures that can be decoded, whose `content_type` is what their bytes say. `unlinked_at`: when a
-- message last stopped linking it that was the last one to (milliseconds since the Unix epoch); null: none ever did.
create table attachment (
  realm_id integer not null references realm,
  id bigint not null,
  owner_id integer not null,
  name text not null,
  path_id text collate "C" not null,
  size bigint not null,
  content_type text not null,
  created_at bigint not null,
  width integer,
  height integer,
  is_animated boolean not null default false,
  unlinked_at bigint,
  primary key (realm_id, id)
);
create unique index attachment_path on attachment (realm_id, path_id);
create index attachment_owner on attachment (realm_id, owner_id, id);

-- The messages that link a file: whoever may read one of them may read the file. `shown`: the file's owner could read the
-- message when it was linked, and so may know that it does.
create table attachment_message (
  realm_id integer not null,
  attachment_id bigint not null,
  message_id bigint not null,
  shown boolean not null,
  primary key (realm_id, attachment_id, message_id)
);
create index attachment_message_of on attachment_message (realm_id, message_id);

-- Pictures whose thumbnails are to be made, or were made a moment ago (`made_at`, milliseconds since the Unix epoch): messages
-- that were rendered before that are shown anew until the row goes. Removed with its file. `claimed_by`: which of several
-- processes makes them, and until when nobody else does.
create table thumbnail_work (
  realm_id integer not null,
  owner_id integer not null,
  attachment_id bigint not null,
  made_at bigint,
  claimed_by text,
  claimed_until bigint not null default 0,
  primary key (realm_id, owner_id, attachment_id)
);
create unique index thumbnail_work_of on thumbnail_work (realm_id, attachment_id);

-- Bytes of all files of an organization; no row where none was ever uploaded.
create table upload_space (
  realm_id integer primary key references realm,
  used bigint not null
);

-- Messages that their authors have written to be sent later, and reminders, by `noun`: lists that only their owner sees, like
-- own_item (src/chat/personal/scheduled). `characters`: the length of its texts. `outbox_id`: the row of the outbox that is due at
-- its time; null where none is, because it failed or was sent. `sent_at` (milliseconds since the Unix epoch): it was sent then,
-- and is in no list any more; what is left of it, without `value`, goes after a day.
create table scheduled_item (
  realm_id integer not null,
  user_id integer not null,
  noun text not null,
  id bigint not null,
  version bigint not null,
  value jsonb,
  characters integer not null,
  outbox_id bigint,
  sent_at bigint,
  primary key (realm_id, user_id, noun, id)
);
create index scheduled_item_sent on scheduled_item (sent_at) where sent_at is not null;
create index scheduled_item_files on scheduled_item using gin ((value -> 'files') jsonb_path_ops) where value is not null;

-- Work to be done beside commits (src/jobs/outbox): written in the commit that wants it, deleted when it is done. Times
-- are in milliseconds since the Unix epoch. `kind` says who does it, by `payload`. Rows of one `lane` of an
-- organization are done one after the other in the order of `due_at`, those without one beside each other. `due_at`:
-- when it is to be done; `next_at`: when it may be claimed, which is that, the time of the next attempt, or the end of
-- the present claim. `claim` names who works on it, null where nobody does. `attempts` counts attempts that began.
-- `given_up_at`: it will not be tried again, because of `last_error`.
-- `realm_id`: null for a mail of the server itself (sign_up).
create table outbox (
  id bigint generated by default as identity primary key,
  realm_id integer references realm,
  kind text not null,
  payload jsonb not null,
  lane text,
  added_at bigint not null,
  due_at bigint not null,
  next_at bigint not null,
  claim text,
  attempts integer not null default 0,
  last_error text,
  given_up_at bigint
);
create index outbox_next on outbox (kind, next_at, id) where given_up_at is null;
create index outbox_lane on outbox (realm_id, kind, lane, due_at, id) where given_up_at is null and lane is not null;
create index outbox_given_up on outbox (given_up_at) where given_up_at is not null;

-- Mails that development mode keeps instead of sending them, the newest 100 (src/chat/sending/mail), by the beginning of their
-- Message-ID. `kept_at` in milliseconds since the Unix epoch.
create table kept_mail (
  id bigint generated by default as identity primary key,
  message_id text not null unique,
  kept_at bigint not null,
  mail jsonb not null
);

-- Invitations (src/chat/people/invitations). `email`: null for a link by which anybody may come. Of the link of either there is
-- only the hash, by which it is found, and `seed`: random bytes from which the program makes it again, with the secret that only
-- it knows. An id is the position of the invitation's row, times a thousand, and a number below that. `welcome_text`: null for
-- that of the organization. `expires_at`: null for never. `ended_at`: accepted or revoked, or
-- closed, because nobody could accept it; such rows are kept for a while.
create table invitation (
  realm_id integer not null references realm,
  id bigint not null,
  inviter_id integer not null,
  email text,
  email_folded text,
  role integer not null,
  channel_ids jsonb not null,
  group_ids jsonb not null,
  includes_defaults boolean not null,
  welcome_text text,
  notifies boolean not null,
  seed text not null,
  link_hash text not null,
  invited_at bigint not null,
  expires_at bigint,
  ended_at bigint,
  primary key (realm_id, id)
);
create unique index invitation_link on invitation (realm_id, link_hash);
create index invitation_over on invitation (least(ended_at, expires_at));
create index invitation_to on invitation (realm_id, email_folded) where ended_at is null;

-- When invitations were mailed, for the limit of a day; older rows are deleted with the next. `inviter_id`: who had them mailed;
-- null where that was not kept.
create table invitations_mailed (
  realm_id integer not null references realm,
  at bigint not null,
  how_many integer not null,
  inviter_id integer
);
create index invitations_mailed_at on invitations_mailed (realm_id, at);

-- The mails with invitations of the last day, each with its address: nobody gets many.
create table invitation_mail (
  realm_id integer not null references realm,
  email_folded text collate "C" not null,
  at bigint not null
);
create index invitation_mail_to on invitation_mail (realm_id, email_folded, at);

-- When accounts were made by links for many in the last hour.
create table invitation_use (
  realm_id integer not null references realm,
  invitation_id bigint not null,
  at bigint not null
);
create index invitation_use_of on invitation_use (realm_id, invitation_id, at);

-- Links that are mailed to people (src/chat/people/account-links), for a day: of each there is only the hash. `purpose`: "password",
-- to choose another one, or "email", to show that the address is theirs. `email`: where it was mailed. `ended_at`: used, or
-- over because of something else; the row stays for the day, because the mails of a day are counted.
create table account_link (
  realm_id integer not null references realm,
  link_hash text not null,
  user_id integer not null,
  purpose text not null,
  email text not null,
  email_folded text collate "C" not null,
  made_at bigint not null,
  expires_at bigint not null,
  ended_at bigint,
  primary key (realm_id, link_hash),
  foreign key (realm_id, user_id) references account
);
create index account_link_of on account_link (realm_id, user_id, made_at);
create index account_link_to on account_link (realm_id, email_folded, made_at);
create index account_link_made on account_link (made_at);

-- What bots have beyond their account (BotSettings in src/chat/ground/bot-settings). A bot without a row has nothing of it.
create table bot (
  realm_id integer not null references realm,
  user_id integer not null,
  settings jsonb not null,
  primary key (realm_id, user_id),
  foreign key (realm_id, user_id) references account
);

-- What bots keep for themselves: texts by keys. No event tells of it.
create table bot_value (
  realm_id integer not null references realm,
  user_id integer not null,
  key text collate "C" not null,
  value text not null,
  primary key (realm_id, user_id, key),
  foreign key (realm_id, user_id) references account
);

-- Bots whose addresses did not answer as they should: how often since their owner was last told of it, and when that was.
create table bot_failure (
  realm_id integer not null references realm,
  user_id integer not null,
  failed integer not null,
  told_at bigint,
  primary key (realm_id, user_id),
  foreign key (realm_id, user_id) references account
);

-- Organizations that people want to make by themselves (src/chat/server/sign-up), for a day, and where they were mailed a link, of
-- which there is only the hash. `name`: of the organization; `label`: its host is this below the operator's domain. Both can be
-- changed until `is_begun`: the organization is being made. `ended_at`: it is there; the row stays for the day, because the mails
-- of a day are counted.
create table sign_up (
  link_hash text primary key,
  email text not null,
  email_folded text collate "C" not null,
  name text not null,
  label text not null,
  made_at bigint not null,
  expires_at bigint not null,
  is_begun boolean not null default false,
  ended_at bigint
);
create index sign_up_to on sign_up (email_folded, made_at);
create index sign_up_made on sign_up (made_at);
