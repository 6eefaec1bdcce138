-- Messages whose words are still to be taken from the index of words.
create table search_deleted (
  realm_id integer not null,
  message_id bigint not null,
  place bigint not null,
  primary key (realm_id, message_id, place)
);

create table search_stale (
  realm_id integer not null,
  place bigint not null,
  low bigint not null,
  through text collate "C",
  is_again boolean not null default false,
  primary key (realm_id, place, low)
);
