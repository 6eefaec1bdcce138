-- Number of items of a command that are done; what is left to do shrinks without being written again.
alter table unfinished_work
  add column done integer not null default 0,
  alter column args set storage external;

-- Thousands of subscriptions are written at once, by functions of ours only, and each check took longer than the row.
alter table subscription_span
  drop constraint subscription_span_realm_id_channel_id_fkey,
  drop constraint subscription_span_realm_id_user_id_fkey;
alter table subscription_setting
  drop constraint subscription_setting_realm_id_channel_id_fkey,
  drop constraint subscription_setting_realm_id_user_id_fkey;
