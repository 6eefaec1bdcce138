-- Messages bear the clock's time, which falls where the clock is set back; until now the highest time so far was taken.
-- Existing messages have times that rise with their ids, so nothing is to be filled in.
alter table message add column ordered_at bigint;
create index message_ordered on message (realm_id, id) where ordered_at is not null;

drop function if exists prune_log_v1(integer, bigint, bigint, bigint, integer);
drop function if exists count_messages_v1(integer, jsonb, bigint);
