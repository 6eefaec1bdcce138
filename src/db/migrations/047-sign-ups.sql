-- Organizations that people want to make by themselves, until a link confirms their address.
create table sign_up (
  link_hash text primary key,
  email text not null,
  email_folded text collate "C" not null,
  name text not null,
  label text not null,
  made_at bigint not null,
  expires_at bigint not null,
  is_begun boolean not null default false,
  ended_at bigint
);
create index sign_up_to on sign_up (email_folded, made_at);
create index sign_up_made on sign_up (made_at);

-- Their mail is of no organization.
alter table outbox alter column realm_id drop not null;
