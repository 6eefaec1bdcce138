-- Tokens of devices, to which users want pushes.
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
