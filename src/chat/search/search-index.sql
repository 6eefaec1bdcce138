-- The words of messages, for searches. message_search holds the words of each message; search_word says where each word
-- is. A place (a channel or a conversation, see place_v1) is divided into chunks of about a thousand messages, and a row
-- names the messages of one chunk that have one word, as long as they are few. So whoever searches a rare word looks once
-- into each chunk of the places that they may read, and nowhere else; and how long a look takes is known before, which is
-- not so for an index of PostgreSQL's own over the words. Written beside the sends by search-index.ts.

-- Notes that the words or the place of some messages changed: they are indexed anew a moment later.
create or replace function search_changed_v1(p_realm integer, p_messages bigint[]) returns void language sql as $$
  insert into search_pending (realm_id, message_id)
  select p_realm, id from unnest(p_messages) as id on conflict do nothing
$$;

-- The words of a message, in the language of all searches: its tags are none. A topic has no tags, whatever it looks like.
-- What is longer than a message can be is cut.
create or replace function words_of_v1(p_topic text, p_rendered text) returns tsvector language sql immutable as $$
  select strip(to_tsvector('english'::regconfig, translate(p_topic, '<>&', '   ') || ' ' || left(p_rendered, 40000)))
$$;

-- The keys under which a message is found: its words, very long ones by their beginning. Whoever writes hundreds of
-- different words in one message gets the rest of them under the empty key, which every search looks at, so that no
-- statement writes thousands of rows.
create or replace function search_keys_v1(p_words tsvector) returns setof text language sql immutable rows 20 as $$
  (select distinct left(each.lexeme, 60) from unnest(p_words) as each where length(p_words) <= 400)
  union all
  (select distinct left(each.lexeme, 60) from (
     select o.lexeme from unnest(p_words) as o where length(p_words) > 400 limit 400) as each)
  union all
  select '' where length(p_words) > 400
$$;

-- Adds the words of some messages. `p_grows`: they are newer than all others, so chunks that are full end before them.
create or replace function add_words_v1(p_realm integer, p_messages bigint[], p_grows boolean) returns void
language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  v_chunk_messages constant integer := 1024;
  -- More messages of a chunk than these are not listed: the chunk is walked.
  v_most_listed constant integer := 16;
begin
  insert into message_search as s (realm_id, message_id, words)
  select p_realm, wanted.id, m.words
    from unnest(p_messages) as wanted(id) cross join lateral (
      select words_of_v1(each.topic, each.rendered) as words from message each
       where each.realm_id = p_realm and each.id = wanted.id limit 1) as m
  on conflict (realm_id, message_id) do update set words = excluded.words;

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
   where newest.place is null or (p_grows and newest.messages >= v_chunk_messages);

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
        from places cross join lateral search_keys_v1(places.words) as key(word)
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

-- Indexes the next messages: those that changed, else new ones; at most so many, and about so many bytes of them.
-- Answers how many.
create or replace function index_messages_v1(p_realm integer, p_most integer, p_bytes integer) returns integer
language plpgsql set enable_seqscan = off as $$
declare
  v_messages bigint[];
  v_through bigint;
begin
  select array_agg(sized.id order by sized.id) into v_messages from (
    select m.id, sum(octet_length(m.rendered)) over (order by m.id) - octet_length(m.rendered) as before
      from (select message_id from search_pending where realm_id = p_realm order by message_id limit p_most) as p
      join message m on m.realm_id = p_realm and m.id = p.message_id) as sized
   where sized.before < p_bytes;
  if v_messages is not null then
    perform add_words_v1(p_realm, v_messages, false);
    delete from search_pending where realm_id = p_realm and message_id = any (v_messages);
    return cardinality(v_messages);
  end if;
  -- Those that are left are of messages that were deleted since.
  delete from search_pending where realm_id = p_realm;

  select through into v_through from search_progress where realm_id = p_realm;
  select array_agg(sized.id order by sized.id) into v_messages from (
    select n.id, sum(n.bytes) over (order by n.id) - n.bytes as before
      from (select m.id, octet_length(m.rendered) as bytes from message m
             where m.realm_id = p_realm and m.id > coalesce(v_through, 0) order by m.id limit p_most) as n) as sized
   where sized.before < p_bytes;
  if v_messages is null then
    return 0;
  end if;
  perform add_words_v1(p_realm, v_messages, true);
  insert into search_progress (realm_id, through) values (p_realm, v_messages[cardinality(v_messages)])
  on conflict (realm_id) do update set through = excluded.through;
  return cardinality(v_messages);
end $$;
