-- Words are made by other rules: those of all messages that are indexed are renewed (search-renewal.sql).
alter table search_progress add column renewing bigint not null default 0;
update search_progress set renewing = through;
alter table search_stale add column waits boolean not null default false;

drop function if exists add_words_v2(integer, bigint[], boolean);
drop function if exists search_keys_v1(tsvector);
drop function if exists has_key_v1(tsvector, text);
