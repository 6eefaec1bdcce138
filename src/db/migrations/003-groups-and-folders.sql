-- Properties of user groups beyond their names, and their members.
alter table user_group
  add column deactivated boolean not null default false,
  add column creator_id integer,
  add column created_at bigint,
  add column permissions jsonb not null default '{}';

create table group_member_span (
  realm_id integer not null,
  group_id integer not null,
  user_id integer not null,
  opened bigint not null,
  closed bigint,
  primary key (realm_id, group_id, user_id, opened)
);
create index group_member_span_user on group_member_span (realm_id, user_id);

-- Properties of channels beyond those that they had, and the folders that they are put into.
alter table channel
  add column folder_id integer,
  add column is_recently_active boolean not null default true,
  add column weekly_traffic integer;

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

create table default_channel_group (
  realm_id integer not null references realm,
  id integer not null,
  name text not null,
  description text not null default '',
  channel_ids jsonb not null,
  primary key (realm_id, id)
);

-- The rest of commands over many items.
create table unfinished_work (
  realm_id integer not null references realm,
  id text not null,
  kind text not null,
  args jsonb not null,
  at bigint not null,
  primary key (realm_id, id)
);

-- When each channel's traffic was counted last.
alter table realm add column traffic_counted_at bigint not null default 0;
