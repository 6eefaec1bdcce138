-- When people were last active and last connected, and the ids of the changes of that.
create table presence (
  realm_id integer not null,
  user_id integer not null,
  active_at bigint not null,
  connected_at bigint not null,
  update_id bigint not null,
  position bigint not null,
  primary key (realm_id, user_id)
) with (fillfactor = 50);

create table presence_ids (
  realm_id integer primary key,
  reserved bigint not null
);
