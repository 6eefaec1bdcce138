-- The words of messages, for searches: see message_search.

-- Notes that the words or the place of some messages changed: they are indexed anew a moment later.
create or replace function search_changed_v1(p_realm integer, p_messages bigint[]) returns void language sql as $$
  insert into search_pending (realm_id, message_id)
  select p_realm, id from unnest(p_messages) as id on conflict do nothing
$$;
