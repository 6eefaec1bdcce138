-- Lists that only their owners see.
create table own_item (
  realm_id integer not null,
  user_id integer not null,
  noun text not null,
  id bigint not null,
  version bigint not null,
  value jsonb not null,
  primary key (realm_id, user_id, noun, id)
);
