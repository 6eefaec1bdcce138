-- The flags of moved messages for those who are not told those of the message that the row names.

-- Those of some messages whose flags are not the ones that they have by nature: [{"message_id", "flags"}], flags as
-- message_flags_v1 answers them, the oldest first. As many as take 64 KB: a large group may be mentioned by each.
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
