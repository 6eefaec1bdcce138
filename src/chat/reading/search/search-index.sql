-- The words of messages, for searches: an inverted index, divided by place. message_search holds the words of each
-- message; search_word says where each word is. A place (a channel or a conversation, see place_v1) is divided into
-- chunks of about a thousand messages, and a row names the messages of one chunk that have one word, as long as they
-- are few. So whoever searches a rare word looks once into each chunk of the places that they may read, and nowhere
-- else; and how long a look takes is known before, which is not so for an index of PostgreSQL's own over the words.
-- Written beside the sends by search-index.ts.

-- Notes that the words or the place of some messages changed: they are indexed anew a moment later.
create or replace function search_changed_v1(p_realm integer, p_messages bigint[]) returns void language sql as $$
  insert into search_pending (realm_id, message_id)
  select p_realm, id from unnest(p_messages) as id on conflict do nothing
$$;

-- Notes that some messages are being deleted, and in which places their words stand: called before they are. Their words are
-- taken from the index by the statements that write it, so none can come into it afterwards.
create or replace function search_deleted_v1(p_realm integer, p_messages bigint[]) returns void
language sql set enable_seqscan = off as $$
  insert into search_deleted (realm_id, message_id, place)
  select p_realm, wanted.id, stood.place from unnest(p_messages) as wanted(id) cross join lateral (
    select place_v1(m.channel_id, m.conversation_id) as place from message m where m.realm_id = p_realm and m.id = wanted.id
    union
    select place_v1(e.prev_channel_id, null) from message_edit e
     where e.realm_id = p_realm and e.message_id = wanted.id and e.prev_channel_id is not null
    union
    select place_v1(v.prev_channel_id, null) from message m cross join lateral unnest(m.moves) as named(id)
      join message_move v on v.realm_id = p_realm and v.id = named.id
     where m.realm_id = p_realm and m.id = wanted.id and v.prev_channel_id is not null) as stood
  on conflict do nothing
$$;

-- Adds the words of some messages. `p_grows`: they are newer than all others, so chunks that are full end before them. Among
-- messages whose words are still to be renewed (search-renewal.sql) one has those of both rules.
create or replace function add_words_v3(p_realm integer, p_messages bigint[], p_grows boolean) returns void
language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  v_chunk_messages constant integer := 1024;
  -- More messages of a chunk than these are not listed: the chunk is walked.
  v_most_listed constant integer := 16;
  v_renewing bigint := coalesce((select renewing from search_progress where realm_id = p_realm), 0);
begin
  insert into message_search as s (realm_id, message_id, words, move)
  select p_realm, wanted.id, m.words, m.move
    from unnest(p_messages) as wanted(id) cross join lateral (
      select words_of_v3(each.topic, each.rendered) || case when each.id <= v_renewing
                 then words_of_v2(each.topic, each.rendered) else '' end as words, each.moves[1] as move from message each
       where each.realm_id = p_realm and each.id = wanted.id limit 1) as m
  on conflict (realm_id, message_id) do update set words = excluded.words, move = excluded.move;

  insert into search_chunk (realm_id, place, low, messages)
  select p_realm, added.place, case when newest.place is null then 0 else added.first end, 0
    from (
      select m.place, min(wanted.id) as first
        from unnest(p_messages) as wanted(id) cross join lateral (
          select place_v1(each.channel_id, each.conversation_id) as place from message each
           where each.realm_id = p_realm and each.id = wanted.id limit 1) as m
       group by m.place) as added
    left join lateral (
      select c.place, c.messages from search_chunk c where c.realm_id = p_realm and c.place = added.place
       order by c.low desc limit 1) as newest on true
   where newest.place is null or (p_grows and newest.messages >= v_chunk_messages)
  on conflict do nothing;

  with places as materialized (
    select wanted.id, chunk.place, chunk.low, s.words
      from unnest(p_messages) as wanted(id)
      cross join lateral (
        select place_v1(each.channel_id, each.conversation_id) as place from message each
         where each.realm_id = p_realm and each.id = wanted.id limit 1) as m
      cross join lateral (
        select c.place, c.low from search_chunk c
         where c.realm_id = p_realm and c.place = m.place and c.low <= wanted.id
         order by c.low desc limit 1) as chunk
      cross join lateral (
        select each.words from message_search each
         where each.realm_id = p_realm and each.message_id = wanted.id limit 1) as s),
  counted as (
    insert into search_chunk as c (realm_id, place, low, messages)
    select p_realm, place, low, count(*) from places where p_grows group by place, low
    on conflict (realm_id, place, low) do update set messages = c.messages + excluded.messages)
  insert into search_word as w (realm_id, place, low, word, messages)
  select p_realm, n.place, n.low, n.word, n.messages
    from (
      select places.place, places.low, key.word collate "C" as word,
             case when count(*) > v_most_listed then '{}' else array_agg(places.id order by places.id) end as messages
        from places cross join lateral search_keys_v2(places.words) as key(word)
       group by 1, 2, 3) as n
    left join lateral (
      select each.messages from search_word each
       where each.realm_id = p_realm and each.place = n.place and each.low = n.low and each.word = n.word
       limit 1) as known on true
   -- A row that is met is locked, which is a write: most words are common ones, and need none.
   where known.messages is null
      or (known.messages <> '{}' and (n.messages = '{}' or not known.messages @> n.messages))
  on conflict (realm_id, place, low, word) do update
    set messages = case when excluded.messages = '{}'
                          or cardinality(w.messages) + cardinality(excluded.messages) > v_most_listed
                        then '{}' else w.messages || excluded.messages end;
end $$;

-- Begins to take the words of deleted messages from the index: notes the chunks in which they stand. Answers how many
-- messages it began with, `p_most` at most.
create or replace function forget_deleted_v1(p_realm integer, p_most integer) returns integer
language plpgsql set enable_seqscan = off as $$
declare
  v_messages bigint[] := array(
    select message_id from search_deleted where realm_id = p_realm order by message_id limit p_most);
begin
  insert into search_stale as s (realm_id, place, low)
  select distinct p_realm, d.place, chunk.low
    from search_deleted d cross join lateral (
      select c.low from search_chunk c
       where c.realm_id = p_realm and c.place = d.place and c.low <= d.message_id order by c.low desc limit 1) as chunk
   where d.realm_id = p_realm and d.message_id = any(v_messages)
  on conflict (realm_id, place, low) do update set is_again = not s.waits, waits = false where not s.is_again;
  delete from message_search where realm_id = p_realm and message_id = any(v_messages);
  delete from search_pending where realm_id = p_realm and message_id = any(v_messages);
  delete from search_deleted where realm_id = p_realm and message_id = any(v_messages);
  return cardinality(v_messages);
end $$;

-- Takes from one chunk the next words that no message of it has any more, and messages that are not there. Answers whether
-- there was such a chunk. A word whose messages are listed is looked up for each of these; another one maybe for the whole
-- chunk, so a statement takes few of them. Chunks that wait for the end of a renewal are looked at after it.
create or replace function forget_words_v1(p_realm integer) returns boolean
language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  v_stale search_stale;
  v_high bigint;
  v_word record;
  v_messages bigint[];
  v_last text;
begin
  select * into v_stale from search_stale
   where realm_id = p_realm
     and not (waits and exists (select from search_progress where realm_id = p_realm and renewing > 0))
   order by place, low limit 1;
  if not found then
    return false;
  end if;
  v_high := coalesce((
    select low from search_chunk where realm_id = p_realm and place = v_stale.place and low > v_stale.low
     order by low limit 1), 9223372036854775807);
  for v_word in
    select costed.word, costed.messages from (
      select n.word, n.messages, sum(case when n.messages = '{}' then 50 else 1 end) over (order by n.word) as cost
        from (select w.word, w.messages from search_word w
               where w.realm_id = p_realm and w.place = v_stale.place and w.low = v_stale.low
                 and (v_stale.through is null or w.word > v_stale.through)
               order by w.word limit 200) as n) as costed
     where costed.cost <= 200 order by costed.word
  loop
    v_last := v_word.word;
    if v_word.messages = '{}' then
      continue when exists (
        select from (
          select m.id from message m
           where v_stale.place % 2 = 0 and m.realm_id = p_realm and m.channel_id = v_stale.place / 2
             and m.id >= v_stale.low and m.id < v_high
          union all
          select m.id from message m
           where v_stale.place % 2 = 1 and m.realm_id = p_realm and m.conversation_id = v_stale.place / 2
             and m.id >= v_stale.low and m.id < v_high) as m cross join lateral (
          select s.words from message_search s where s.realm_id = p_realm and s.message_id = m.id offset 0) as s
         where has_key_v2(s.words, v_word.word));
      v_messages := '{}';
    else
      v_messages := array(
        select listed.id from unnest(v_word.messages) as listed(id) cross join lateral (
          select place_v1(m.channel_id, m.conversation_id) as place from message m
           where m.realm_id = p_realm and m.id = listed.id offset 0) as m cross join lateral (
          select s.words from message_search s where s.realm_id = p_realm and s.message_id = listed.id offset 0) as s
         where m.place = v_stale.place and has_key_v2(s.words, v_word.word));
      continue when cardinality(v_messages) = cardinality(v_word.messages);
    end if;
    if v_messages = '{}' then
      delete from search_word
       where realm_id = p_realm and place = v_stale.place and low = v_stale.low and word = v_word.word;
    else
      update search_word set messages = v_messages
       where realm_id = p_realm and place = v_stale.place and low = v_stale.low and word = v_word.word;
    end if;
  end loop;
  if v_last is not null then
    update search_stale set through = v_last
     where realm_id = p_realm and place = v_stale.place and low = v_stale.low;
  elsif v_stale.is_again then
    update search_stale set through = null, is_again = false
     where realm_id = p_realm and place = v_stale.place and low = v_stale.low;
  else
    delete from search_stale where realm_id = p_realm and place = v_stale.place and low = v_stale.low;
  end if;
  return true;
end $$;

-- Indexes the next messages: those that changed, else new ones, else those that were moved; `p_most` at most, and about
-- `p_bytes` of them. Before these it notes in which chunks deleted messages stood, and when nothing else is left it
-- takes their words from the index, some at a time. Answers how many messages, or steps of that; 0: there is nothing to
-- do; -1: another server is at it, which several of them may be for one database.
create or replace function index_messages_v3(p_realm integer, p_most integer, p_bytes integer) returns integer
language plpgsql set enable_seqscan = off as $$
declare
  v_messages bigint[];
  v_through bigint;
  v_deleted integer;
begin
  if not pg_try_advisory_xact_lock(1936028271, p_realm) then
    return -1;
  end if;
  v_deleted := forget_deleted_v1(p_realm, p_most);
  if v_deleted > 0 then
    return v_deleted;
  end if;
  select array_agg(sized.id order by sized.id) into v_messages from (
    select m.id, sum(octet_length(m.rendered)) over (order by m.id) - octet_length(m.rendered) as before
      from (select message_id from search_pending where realm_id = p_realm order by message_id limit p_most) as p
      join message m on m.realm_id = p_realm and m.id = p.message_id) as sized
   where sized.before < p_bytes;
  if v_messages is not null then
    perform add_words_v3(p_realm, v_messages, false);
    delete from search_pending where realm_id = p_realm and message_id = any (v_messages);
    return cardinality(v_messages);
  end if;

  select through into v_through from search_progress where realm_id = p_realm;
  select array_agg(sized.id order by sized.id) into v_messages from (
    select n.id, sum(n.bytes) over (order by n.id) - n.bytes as before
      from (select m.id, octet_length(m.rendered) as bytes from message m
             where m.realm_id = p_realm and m.id > coalesce(v_through, 0) order by m.id limit p_most) as n) as sized
   where sized.before < p_bytes;
  if v_messages is null then
    v_messages := take_moved_v1(p_realm, p_most, p_bytes);
    if v_messages is not null then
      perform add_words_v3(p_realm, v_messages, false);
      return cardinality(v_messages);
    end if;
    return forget_words_v1(p_realm)::integer;
  end if;
  perform add_words_v3(p_realm, v_messages, true);
  insert into search_progress (realm_id, through) values (p_realm, v_messages[cardinality(v_messages)])
  on conflict (realm_id) do update set through = greatest(search_progress.through, excluded.through);
  return cardinality(v_messages);
end $$;
