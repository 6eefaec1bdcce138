-- What bots have beyond their account, what they keep for themselves, and which of them could not be reached.
create table bot (
  realm_id integer not null references realm,
  user_id integer not null,
  settings jsonb not null,
  primary key (realm_id, user_id),
  foreign key (realm_id, user_id) references account
);

create table bot_value (
  realm_id integer not null references realm,
  user_id integer not null,
  key text collate "C" not null,
  value text not null,
  primary key (realm_id, user_id, key),
  foreign key (realm_id, user_id) references account
);

create table bot_failure (
  realm_id integer not null references realm,
  user_id integer not null,
  failed integer not null,
  told_at bigint,
  primary key (realm_id, user_id),
  foreign key (realm_id, user_id) references account
);
