-- Playgrounds, views in people's navigation, and what people have been told of once.
create table realm_playgrounds (
  realm_id integer primary key references realm,
  last_id integer not null,
  playgrounds jsonb not null
);

create table navigation_view (
  realm_id integer not null,
  user_id integer not null,
  fragment text collate "C" not null,
  id bigint not null,
  is_pinned boolean not null,
  name text,
  primary key (realm_id, user_id, fragment)
);

create table onboarding (
  realm_id integer not null,
  user_id integer not null,
  done jsonb not null,
  version bigint not null,
  primary key (realm_id, user_id)
);
