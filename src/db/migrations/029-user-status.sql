create table user_status (
  realm_id integer not null,
  user_id integer not null,
  status_text text not null,
  emoji jsonb,
  primary key (realm_id, user_id)
);
