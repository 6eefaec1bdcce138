-- Messages that are sent later, and reminders.
create table scheduled_item (
  realm_id integer not null,
  user_id integer not null,
  noun text not null,
  id bigint not null,
  version bigint not null,
  value jsonb,
  characters integer not null,
  outbox_id bigint,
  sent_at bigint,
  primary key (realm_id, user_id, noun, id)
);
create index scheduled_item_sent on scheduled_item (sent_at) where sent_at is not null;
create index scheduled_item_files on scheduled_item using gin ((value -> 'files') jsonb_path_ops) where value is not null;
