-- Words that were made by the rules of an older program are made anew beside the sends, the newest messages first. Those up to
-- `renewing` of search_progress are still to be done: a search finds these by the older rules as well (texts-store.ts), so it
-- misses nothing that it found before. Each statement renews some messages and says so, which is one commit: whenever the
-- server is killed, it goes on from there.

-- The words of a message by the rules before migration 036: PostgreSQL's parser is given the HTML as it is, so a link or an
-- address is one word.
create or replace function text_of_v1(p_rendered text) returns text language sql immutable as $$
  select left(array_to_string(array(
    select substr(piece, strpos(piece, '>') + 1) from string_to_table(p_rendered, '<') as piece), ' '), 200000)
$$;
create or replace function words_of_v2(p_topic text, p_rendered text) returns tsvector language sql immutable as $$
  select strip(to_tsvector('english'::regconfig, translate(p_topic, '<>&', '   ') || ' ' ||
    case when octet_length(p_rendered) <= 40000 then p_rendered else text_of_v1(p_rendered) end))
$$;

-- Renews the next messages, `p_most` at most, of about so many bytes. The chunks in which they stand wait until all are
-- renewed; then words that no message has any more are taken from them. Answers how many messages; 0: all are renewed; -1: another
-- process is at it, or at the index of new messages.
create or replace function renew_words_v1(p_realm integer, p_most integer, p_bytes integer) returns integer
language plpgsql set enable_seqscan = off as $$
declare
  v_renewing bigint;
  v_messages bigint[];
begin
  -- The same lock as that of index_messages_v3.
  if not pg_try_advisory_xact_lock(1936028271, p_realm) then
    return -1;
  end if;
  v_renewing := coalesce((select renewing from search_progress where realm_id = p_realm), 0);
  if v_renewing = 0 then
    return 0;
  end if;
  select array_agg(sized.id order by sized.id) into v_messages from (
    select n.id, sum(n.bytes) over (order by n.id desc) - n.bytes as before
      from (select m.id, octet_length(m.rendered) as bytes from message m
             where m.realm_id = p_realm and m.id <= v_renewing order by m.id desc limit p_most) as n) as sized
   where sized.before < p_bytes;
  update search_progress set renewing = coalesce(v_messages[1] - 1, 0) where realm_id = p_realm;
  if v_messages is null then
    return 1;
  end if;
  perform add_words_v3(p_realm, v_messages, false);
  insert into search_stale (realm_id, place, low, waits)
  select distinct p_realm, m.place, chunk.low, true
    from unnest(v_messages) as wanted(id) cross join lateral (
      select place_v1(each.channel_id, each.conversation_id) as place from message each
       where each.realm_id = p_realm and each.id = wanted.id limit 1) as m cross join lateral (
      select c.low from search_chunk c
       where c.realm_id = p_realm and c.place = m.place and c.low <= wanted.id order by c.low desc limit 1) as chunk
  on conflict do nothing;
  return cardinality(v_messages);
end $$;
