-- The organization's own profile fields, and what people have in them.
create table custom_profile_fields (
  realm_id integer primary key references realm,
  last_id integer not null,
  fields jsonb not null
);

create table profile_value (
  realm_id integer not null,
  field_id integer not null,
  user_id integer not null,
  value text not null,
  rendered text,
  primary key (realm_id, field_id, user_id)
);
