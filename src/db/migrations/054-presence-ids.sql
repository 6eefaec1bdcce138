-- Ids of changes of presence are times in milliseconds (src/chat/ground/presences): nothing has to be reserved for them.
drop table if exists presence_ids;
drop function if exists load_presence_v1(integer, jsonb, integer);
drop function if exists save_presence_v1(integer, jsonb, jsonb, integer, bigint);
