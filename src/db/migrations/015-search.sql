-- What searches by words and by what messages contain look at.
alter table message
  add column has_link boolean not null default false,
  add column has_image boolean not null default false,
  add column has_attachment boolean not null default false;

create table message_search (
  realm_id integer not null,
  message_id bigint not null,
  words tsvector not null,
  primary key (realm_id, message_id)
);

create table search_pending (
  realm_id integer not null,
  message_id bigint not null,
  primary key (realm_id, message_id)
);
