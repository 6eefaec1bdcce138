-- The end of HTML that is longer than 40,000 characters was not indexed.
insert into search_pending (realm_id, message_id)
select m.realm_id, m.id from message m
 where octet_length(m.rendered) > 40000
   and exists (select from message_search s where s.realm_id = m.realm_id and s.message_id = m.id)
on conflict do nothing;

drop function if exists index_messages_v1(integer, integer, integer);
drop function if exists add_words_v1(integer, bigint[], boolean);
drop function if exists words_of_v1(text, text);
