-- The flags of changed messages, as rows about them have them.

-- The flags of a message for everybody, as FlagSets in chat/ground/kinds/update-message-row.ts. Of whom it is unread for by
-- nature (chat/reading/flags/read-state.sql) there may be at most `p_most`; if there are more, it counts as read by all.
-- Null: however many there are.
create or replace function message_flags_v1(p_realm integer, p_message bigint, p_most integer) returns jsonb
language plpgsql stable set enable_seqscan = off as $$
declare
  v_message message;
  v_place bigint;
  v_members integer[];
begin
  select * into v_message from message where realm_id = p_realm and id = p_message;
  v_place := place_v1(coalesce(v_message.moved_from, v_message.channel_id), v_message.conversation_id);
  v_members := case when v_message.channel_id is null then array(
    select c.id::integer from conversation v cross join unnest(string_to_array(v.member_key, ',')) as c(id)
     where v.realm_id = p_realm and v.id = v_message.conversation_id
       and not read_from_start_v1(c.id::integer, v_message.sender_id, v_message.read_by_sender, v_message.muted_for))
  else array(
    select s.user_id from subscription_span s
     where s.realm_id = p_realm and s.channel_id = coalesce(v_message.moved_from, v_message.channel_id)
       and s.closed is null and s.opened <= p_message
       and not read_from_start_v1(s.user_id, v_message.sender_id, v_message.read_by_sender, v_message.muted_for)
       -- As holds_now_v1: a call for each of hundreds took longer than all else.
       and (v_message.moved_from is null or exists (
         select from subscription_span h
          where h.realm_id = p_realm and h.channel_id = v_message.channel_id and h.user_id = s.user_id
            and h.closed is null and h.opened <= v_message.channel_since))
     limit p_most + 1) end;
  if cardinality(v_members) > p_most then
    v_members := '{}';
  end if;
  return (
    with own as materialized (
      select p.*, p.unread_since > read_floor_v1(p_realm, p.user_id) and not exists (
               select from left_since_v1(
                 p_realm, p.user_id, v_message.channel_id, v_message.moved_from, p.unread_since)) as is_unread
        from personal_message p where p.realm_id = p_realm and p.message_id = p_message),
    -- Looked up by the message, not for each of ten thousand users.
    readers as materialized (
      select f.user_id from read_floor f where f.realm_id = p_realm and f.position >= p_message
      union all
      select r.user_id from read_ranges r
       where r.realm_id = p_realm and r.place = v_place and r.low <= p_message and r.ranges @> p_message),
    unread as (
      select u.user_id from unnest(v_members) as u(user_id) where u.user_id not in (select user_id from readers)
      union select user_id from own where is_unread)
    select jsonb_strip_nulls(jsonb_build_object(
        'unread', (select range_agg(int4range(user_id, user_id, '[]'))::text from unread),
        'starred', (select range_agg(int4range(user_id, user_id, '[]'))::text from own where starred),
        'collapsed', (select range_agg(int4range(user_id, user_id, '[]'))::text from own where collapsed),
        'mentioned', nullif((coalesce((select range_agg(int4range(user_id, user_id, '[]')) from own where mentioned), '{}')
          + coalesce(v_message.group_mentioned, '{}'))::text, '{}'),
        'topic', v_message.topic_wildcard::text,
        'alerted', v_message.alerted::text,
        'received', (select range_agg(int4range(user_id, user_id, '[]'))::text from own where not historical),
        'everybody_in', case when v_message.channel_wildcard
          then coalesce(v_message.wildcard_in, v_message.moved_from, v_message.channel_id) end,
        'everybody_at', v_message.wildcard_at,
        'everybody_also', v_message.wildcard_also::text,
        'everybody', case when v_message.channel_wildcard and v_message.channel_id is null then true end,
        'since', v_message.channel_since)));
end $$;

-- A row shows each receiver the flags of one message. For those who do not hold the one that it names there are those of others,
-- where these have flags otherwise than by nature: [{"message_id", "flags"}], flags as message_flags_v1 answers them, the oldest
-- first. As many as take 64 KB: a large group may be mentioned by each.
-- `p_from`: the channel that they have left, for users who are not there. By nature is unread for them only what was
-- not sent there: of that these are the oldest, for at most `p_most` of whom each is unread.
create or replace function other_flags_v1(p_realm integer, p_ids bigint[], p_from integer, p_most integer) returns jsonb
language sql stable set enable_seqscan = off as $$
  with sets as materialized (
    select m.id, case when m.id = any(array(
          select e.id from message e
           where e.realm_id = p_realm and e.id = any(p_ids) and coalesce(e.moved_from, e.channel_id) <> p_from
           order by e.id limit 10))
        then message_flags_v1(p_realm, m.id, p_most)
        else jsonb_strip_nulls(jsonb_build_object(
          'unread', o.unread::text, 'starred', o.starred::text, 'collapsed', o.collapsed::text,
          'mentioned', nullif((coalesce(o.mentioned, '{}') + coalesce(m.group_mentioned, '{}'))::text, '{}'),
          'topic', m.topic_wildcard::text, 'alerted', m.alerted::text, 'received', o.received::text,
          'everybody_in', case when m.channel_wildcard then coalesce(m.wildcard_in, m.moved_from, m.channel_id) end,
          'everybody_at', m.wildcard_at, 'everybody_also', m.wildcard_also::text, 'since', m.channel_since)) end as flags
      from message m left join lateral (
        select range_agg(own.who) filter (where own.is_unread) as unread,
               range_agg(own.who) filter (where own.starred) as starred,
               range_agg(own.who) filter (where own.collapsed) as collapsed,
               range_agg(own.who) filter (where own.mentioned) as mentioned,
               range_agg(own.who) filter (where not own.historical) as received
          from (
            select p.*, int4range(p.user_id, p.user_id, '[]') as who, case when p.unread_since is null then false
                     else p.unread_since > read_floor_v1(p_realm, p.user_id) and not exists (
                       select from left_since_v1(
                         p_realm, p.user_id, m.channel_id, m.moved_from, p.unread_since)) end as is_unread
              from personal_message p where p.realm_id = p_realm and p.message_id = m.id offset 0) own
        having count(*) > 0) o on true
     where m.realm_id = p_realm and m.id = any(p_ids))
  select coalesce(jsonb_agg(jsonb_build_object('message_id', id, 'flags', flags) order by id), '[]') from (
    select id, flags, sum(pg_column_size(flags)) over (order by id) as bytes from sets
     where flags - 'since' <> '{}') sized
   where bytes <= 65536
$$;
