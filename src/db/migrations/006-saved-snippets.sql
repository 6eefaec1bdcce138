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
