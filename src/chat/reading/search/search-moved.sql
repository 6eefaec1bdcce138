-- Messages that were moved: their words are those of another topic or place until they are indexed anew. What a move notes of
-- them is one row, so that a move of thousands takes no longer for the sake of searches.

-- Notes that messages were moved into a place, or within it, by the row at this position. A place that was empty gets its first
-- chunk: searches look at a chunk of which some messages are noted here as if it were not indexed.
create or replace function search_moved_v1(p_realm integer, p_place bigint, p_position bigint, p_messages bigint[])
returns void language plpgsql set enable_seqscan = off as $$
begin
  insert into search_moved (realm_id, place, low, high, id, messages)
  values (p_realm, p_place, p_messages[1], p_messages[cardinality(p_messages)] + 1, p_position, p_messages);
  insert into search_chunk (realm_id, place, low, messages)
  select p_realm, p_place, 0, 0 where not exists (select from search_chunk where realm_id = p_realm and place = p_place)
  on conflict do nothing;
end $$;

-- Takes some messages that were moved, `p_most` at most, of about so many bytes. While more are being moved, none.
create or replace function take_moved_v1(p_realm integer, p_most integer, p_bytes integer) returns bigint[]
language plpgsql set enable_seqscan = off as $$
declare
  v_moved search_moved;
  v_taken bigint[];
begin
  if exists (select from unfinished_work where realm_id = p_realm and kind = 'move_messages') then
    return null;
  end if;
  select * into v_moved from search_moved where realm_id = p_realm order by place, id limit 1;
  if not found then
    return null;
  end if;
  select array_agg(sized.id order by sized.id) into v_taken from (
    select wanted.id, sum(octet_length(coalesce(m.rendered, ''))) over (order by wanted.id)
             - octet_length(coalesce(m.rendered, '')) as before
      from unnest(v_moved.messages[1:p_most]) as wanted(id)
      left join message m on m.realm_id = p_realm and m.id = wanted.id) as sized
   where sized.before < p_bytes;
  if cardinality(v_taken) = cardinality(v_moved.messages) then
    delete from search_moved where realm_id = p_realm and place = v_moved.place and id = v_moved.id;
  else
    update search_moved
       set messages = v_moved.messages[cardinality(v_taken) + 1:], low = v_moved.messages[cardinality(v_taken) + 1]
     where realm_id = p_realm and place = v_moved.place and id = v_moved.id;
  end if;
  return v_taken;
end $$;
