-- A user's own settings, and accounts whose password must be set anew.
alter table account
  add column settings jsonb not null default '{}',
  add column must_reset_password boolean not null default false;
