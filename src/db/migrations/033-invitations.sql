-- Invitations, and how many were mailed of late.
create table invitation (
  realm_id integer not null references realm,
  id bigint not null,
  inviter_id integer not null,
  email text,
  email_folded text,
  role integer not null,
  channel_ids jsonb not null,
  group_ids jsonb not null,
  includes_defaults boolean not null,
  welcome_text text,
  notifies boolean not null,
  seed text not null,
  link_hash text not null,
  invited_at bigint not null,
  expires_at bigint,
  ended_at bigint,
  primary key (realm_id, id)
);
create unique index invitation_link on invitation (realm_id, link_hash);
create index invitation_over on invitation (least(ended_at, expires_at));

create table invitations_mailed (
  realm_id integer not null references realm,
  at bigint not null,
  how_many integer not null
);
create index invitations_mailed_at on invitations_mailed (realm_id, at);
