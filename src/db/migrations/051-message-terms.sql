-- For how many days messages are kept by place, and since when that is wanted (src/chat/changing/message-expiry).
alter table realm add column if not exists message_terms jsonb not null default '{}';
