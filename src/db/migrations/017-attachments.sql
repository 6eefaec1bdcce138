-- Files that users uploaded, and the messages that link them.
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
  primary key (realm_id, id)
);
create unique index attachment_path on attachment (realm_id, path_id);
create index attachment_owner on attachment (realm_id, owner_id, id);

create table attachment_message (
  realm_id integer not null,
  attachment_id bigint not null,
  message_id bigint not null,
  shown boolean not null,
  primary key (realm_id, attachment_id, message_id)
);
create index attachment_message_of on attachment_message (realm_id, message_id);

create table upload_space (
  realm_id integer primary key references realm,
  used bigint not null
);
