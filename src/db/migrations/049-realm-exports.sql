-- Exports of an organization.
create table realm_exports (
  realm_id integer primary key references realm,
  last_id integer not null,
  exports jsonb not null
);
