-- The section of register about unread messages.

-- A user's unread messages from p_low on: how many there are, and {"count", "streams": [{"stream_id", "topic", "ids"}],
-- "pms": [{"user_id", "ids"}], "huddles": [{"user_ids", "ids"}], "mentions", "missing"}. Ids are joined by commas; the
-- program sorts them. A topic is spelt as in its newest unread message. `offset 0`: one search in an index for each gap,
-- whatever the planner thinks of the number of messages. Nothing is sorted by the way: groups are found by hashes, whose
-- tables stay in memory. To compile the statement may take PostgreSQL seconds.
create or replace function unread_from_v1(
  p_realm integer, p_user integer, p_low bigint, p_missing boolean, out total bigint, out section json
) language plpgsql stable set enable_seqscan = off set enable_sort = off set jit = off
  set work_mem = '64MB' as $$
declare
  v_most constant integer := 5000;
begin
  with place as materialized (
    select g.channel_id, g.conversation_id, g.gaps * int8multirange(int8range(p_low, null)) as gaps
      from unread_gaps_v1(p_realm, p_user) g),
  personal as materialized (
    select r.message_id from unread_rows_v1(p_realm, p_user) r
     where r.message_id >= p_low order by r.message_id desc limit v_most),
  -- Messages that were sent in these places and moved to others.
  away as materialized (
    select m.id, m.channel_id from (
        select * from place p
         where p.channel_id is not null and exists (select from message where realm_id = p_realm and moved_from = p.channel_id)) p
     cross join unnest(p.gaps) as each cross join lateral (
        select id, channel_id from message
         where realm_id = p_realm and moved_from = p.channel_id and id >= first_of_v1(each)
           and id < coalesce(end_of_v1(each), 9223372036854775807)
           and not read_from_start_v1(p_user, sender_id, read_by_sender, muted_for)
           and holds_now_v1(p_realm, p_user, channel_id, channel_since)
        offset 0) m),
  -- Somebody may have read every second message: of more gaps the newest count. A message that only a personal row says to
  -- be unread, or that was moved, is a gap of its own, so that all are read and grouped alike: to append them to the others
  -- took 20 ms. They are read in ascending order, so that nothing is left to be sorted.
  gap as materialized (
    select * from (
      (select channel_id, conversation_id, first_of_v1(each) as low, coalesce(end_of_v1(each), 9223372036854775807) as high,
              false as is_alone
         from place cross join unnest(gaps) as each order by low desc limit v_most)
      union all
      select m.channel_id, m.conversation_id, m.id, m.id + 1, true from personal r
        join message m on m.realm_id = p_realm and m.id = r.message_id
       where (m.channel_id is null or m.channel_id in (select channel_id from place))
         and m.id not in (select id from away)
         -- Nor those that are unread by nature, too: one may have been elsewhere when it was marked.
         and (m.moved_from is not null or read_from_start_v1(p_user, m.sender_id, m.read_by_sender, m.muted_for)
           or not exists (
             select from place p
              where (p.channel_id = m.channel_id or p.conversation_id = m.conversation_id) and p.gaps @> m.id))
      union all
      select a.channel_id, null, a.id, a.id + 1, true from away a) as all_gaps
     order by low),
  topic as materialized (
    select g.channel_id, m.topic_folded, count(*) as count, max(m.id) as newest, string_agg(m.id::text, ',') as ids,
           min(m.topic collate "C") as least, max(m.topic collate "C") as most,
           array_agg(m.id) filter (where m.wide) as wide, array_agg(m.id) filter (where m.grouped) as grouped
      from gap g cross join lateral (
        select id, topic, topic_folded, (channel_wildcard and ((not g.is_alone and wildcard_in is null)
                 or received_v1(p_realm, p_user, coalesce(wildcard_in, moved_from, channel_id), coalesce(wildcard_at, id))
                 or coalesce(wildcard_also @> p_user, false))) or topic_wildcard @> p_user as wide,
               group_mentioned @> p_user as grouped
          from message
         where realm_id = p_realm and channel_id = g.channel_id and id >= g.low and id < g.high
           and (g.is_alone or (moved_from is null and not read_from_start_v1(p_user, sender_id, read_by_sender, muted_for)))
        offset 0) m
     where g.channel_id is not null
     group by g.channel_id, m.topic_folded),
  conversing as materialized (
    select v.member_key, u.count, u.ids, u.marked from (
        select g.conversation_id, count(*) as count, string_agg(m.id::text, ',') as ids,
               array_agg(m.id) filter (where m.marked) as marked
          from gap g cross join lateral (
            select id, channel_wildcard or topic_wildcard @> p_user or group_mentioned @> p_user as marked
              from message
             where realm_id = p_realm and conversation_id = g.conversation_id and id >= g.low and id < g.high
               and (g.is_alone or not read_from_start_v1(p_user, sender_id, read_by_sender, muted_for))
            offset 0) m
         where g.conversation_id is not null
         group by g.conversation_id) u
      join conversation v on v.realm_id = p_realm and v.id = u.conversation_id),
  muted as materialized (
    select channel_id from subscription_setting where realm_id = p_realm and user_id = p_user and is_muted),
  -- All policies are read at once, however many topics are unread.
  policy as materialized (
    select channel_id, topic_folded, policy from user_topic where realm_id = p_realm and user_id = p_user),
  heard as materialized (
    select t.count, t.wide from topic t
      left join policy p on p.channel_id = t.channel_id and p.topic_folded = t.topic_folded
     where case coalesce(p.policy, 0) when 0 then t.channel_id not in (select * from muted) else p.policy > 1 end),
  mention as (
    -- A wildcard in a muted topic does not count.
    select unnest(wide) as id from heard
    union select unnest(grouped) from topic
    union select unnest(marked) from conversing
    union
    select n.message_id from personal_message n join message m on m.realm_id = p_realm and m.id = n.message_id
     where n.realm_id = p_realm and n.user_id = p_user and n.mentioned and n.message_id >= p_low
       and (m.id in (select low from gap where is_alone)
         or (m.moved_from is null and not read_from_start_v1(p_user, m.sender_id, m.read_by_sender, m.muted_for) and exists (
           select from place p
            where (p.channel_id = m.channel_id or p.conversation_id = m.conversation_id) and p.gaps @> m.id))))
  select
    coalesce((select sum(count) from topic), 0) + coalesce((select sum(count) from conversing), 0),
    json_build_object(
      'count', coalesce((select sum(count) from heard), 0)
        + coalesce((select sum(count) from conversing), 0),
      'streams', (
        select coalesce(json_agg(json_build_object('stream_id', t.channel_id, 'ids', t.ids, 'topic', case
            when t.least = t.most then t.least
            else (select topic from message where realm_id = p_realm and id = t.newest) end) order by t.channel_id, t.topic_folded), '[]')
          from topic t),
      'pms', (
        select coalesce(json_agg(json_build_object('user_id', c.other, 'ids', c.ids) order by c.other), '[]') from (
          -- In notes to oneself the other one is oneself.
          select ids, coalesce((select member::integer from unnest(string_to_array(member_key, ',')) as member
                                 where member <> p_user::text), p_user) as other
            from conversing where member_key not like '%,%,%') c),
      'huddles', (
        select coalesce(json_agg(json_build_object('user_ids', member_key, 'ids', ids) order by member_key), '[]')
          from conversing where member_key like '%,%,%'),
      'mentions', (select string_agg(id::text, ',') from mention),
      'missing', p_missing or (select count(*) from gap where not is_alone) >= v_most or (select count(*) from personal) >= v_most)
    into total, section;
end $$;

-- The unread messages of a user with ids from p_low up to but not including p_high, without those that only a personal
-- row says to be unread.
create or replace function unread_ids_v1(p_realm integer, p_user integer, p_low bigint, p_high bigint)
returns table (id bigint) language sql stable set enable_seqscan = off set jit = off as $$
  select m.id from unread_gaps_v1(p_realm, p_user) g
   cross join unnest(g.gaps * int8multirange(int8range(p_low, p_high))) as each
   cross join lateral (
     select id from message
      where realm_id = p_realm and channel_id = g.channel_id and moved_from is null
        and id >= first_of_v1(each) and id < end_of_v1(each)
        and not read_from_start_v1(p_user, sender_id, read_by_sender, muted_for)
     union all
     select id from message
      where realm_id = p_realm and moved_from = g.channel_id
        and id >= first_of_v1(each) and id < end_of_v1(each)
        and not read_from_start_v1(p_user, sender_id, read_by_sender, muted_for)
        and holds_now_v1(p_realm, p_user, channel_id, channel_since)
     union all
     select id from message
      where realm_id = p_realm and conversation_id = g.conversation_id
        and id >= first_of_v1(each) and id < end_of_v1(each)
        and not read_from_start_v1(p_user, sender_id, read_by_sender, muted_for)
     offset 0) m
$$;

-- The newest 50,000 unread messages of a user, beside older ones of personal rows. So that few more than these are read,
-- however many there are, they are first counted from the end of the log, in parts that become larger.
create or replace function section_unread_v1(p_realm integer, p_user integer) returns json
language plpgsql stable set enable_seqscan = off as $$
declare
  v_most constant integer := 50000;
  v_head bigint := log_head_v1(p_realm);
  v_oldest bigint;
  v_low bigint := v_head + 1;
  v_size bigint := 2 * v_most;
  v_count bigint := 0;
  v_unread record;
begin
  v_oldest := least((select min(first_of_v1(range_merge(gaps))) from unread_gaps_v1(p_realm, p_user)),
                    (select min(message_id) from unread_rows_v1(p_realm, p_user)), v_low);
  if v_low - v_oldest <= v_size then
    v_low := v_oldest;
  end if;
  while v_low > v_oldest and v_count <= v_most loop
    v_count := v_count + (select count(*) from unread_ids_v1(p_realm, p_user, v_low - v_size, v_low));
    v_low := v_low - v_size;
    v_size := 2 * v_size;
  end loop;
  v_unread := unread_from_v1(p_realm, p_user, v_low, v_count > v_most);
  if v_unread.total <= v_most then
    return v_unread.section;
  end if;
  v_low := (select id from unread_ids_v1(p_realm, p_user, v_low, v_head + 1) order by id desc offset v_most - 1 limit 1);
  v_unread := unread_from_v1(p_realm, p_user, coalesce(v_low, 0), true);
  return v_unread.section;
end $$;
