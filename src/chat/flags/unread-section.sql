-- The section of register about unread messages.

-- A user's unread messages from p_low on: {"count", "streams": [{"stream_id", "topic", "ids"}], "pms": [{"user_id",
-- "ids"}], "huddles": [{"user_ids", "ids"}], "mentions", "missing"}. Ids are ascending, joined by commas. A topic is spelt
-- as in its newest unread message. There are p_most messages at most, the newest; `missing`: there are more, older ones.
-- `offset 0`: one search in an index for each gap, whatever the planner thinks of the number of messages.
create or replace function unread_from_v1(p_realm integer, p_user integer, p_low bigint, p_most integer, p_missing boolean)
returns json language plpgsql stable set enable_seqscan = off as $$
begin
  return (
    with gap as materialized (
      select g.channel_id, g.conversation_id, first_of_v1(each) as low, coalesce(end_of_v1(each), 9223372036854775807) as high
        from unread_gaps_v1(p_realm, p_user) g
        cross join unnest(g.gaps * int8multirange(int8range(p_low, null))) as each),
    everything as materialized (
      select m.* from gap g cross join lateral (
        select id, channel_id, null::bigint as conversation_id, topic_folded, channel_wildcard or topic_wildcard @> p_user as wide,
               group_mentioned @> p_user as grouped
          from message
         where realm_id = p_realm and channel_id = g.channel_id and id >= g.low and id < g.high
           and not (sender_id = p_user and read_by_sender)
        offset 0) m where g.channel_id is not null
      union all
      select m.* from gap g cross join lateral (
        select id, null::integer, conversation_id, '', channel_wildcard or topic_wildcard @> p_user, group_mentioned @> p_user
          from message
         where realm_id = p_realm and conversation_id = g.conversation_id and id >= g.low and id < g.high
           and not (sender_id = p_user and read_by_sender)
        offset 0) m where g.channel_id is null
      union all
      select m.id, m.channel_id, m.conversation_id, m.topic_folded,
             (m.channel_wildcard and not p.historical) or m.topic_wildcard @> p_user, m.group_mentioned @> p_user
        from unread_rows_v1(p_realm, p_user) r
        join message m on m.realm_id = p_realm and m.id = r.message_id
        join personal_message p on p.realm_id = p_realm and p.user_id = p_user and p.message_id = m.id
       -- A bot may be mentioned where it is not subscribed.
       where r.message_id >= p_low and (m.channel_id is null or exists (
         select from subscription_span s
          where s.realm_id = p_realm and s.user_id = p_user and s.channel_id = m.channel_id and s.closed is null))),
    unread as materialized (select * from everything order by id desc limit p_most),
    muted as materialized (
      select channel_id from subscription_setting where realm_id = p_realm and user_id = p_user and is_muted),
    topic as materialized (
      select channel_id, topic_folded, count(*) as count, max(id) as newest, string_agg(id::text, ',' order by id) as ids
        from unread where channel_id is not null group by channel_id, topic_folded),
    conversing as materialized (
      select v.member_key, u.count, u.ids from (
          select conversation_id, count(*) as count, string_agg(id::text, ',' order by id) as ids
            from unread where conversation_id is not null group by conversation_id) u
        join conversation v on v.realm_id = p_realm and v.id = u.conversation_id)
    select json_build_object(
      'count', coalesce((select sum(count) from topic where channel_id not in (select * from muted)), 0)
        + coalesce((select sum(count) from conversing), 0),
      'streams', (
        select coalesce(json_agg(json_build_object('stream_id', t.channel_id, 'ids', t.ids, 'topic', (
            select topic from message where realm_id = p_realm and id = t.newest)) order by t.channel_id, t.topic_folded), '[]')
          from topic t),
      'pms', (
        select coalesce(json_agg(json_build_object('user_id', c.other, 'ids', c.ids) order by c.other), '[]') from (
          -- Of notes to oneself the other one is oneself.
          select ids, coalesce((select member::integer from unnest(string_to_array(member_key, ',')) as member
                                 where member <> p_user::text), p_user) as other
            from conversing where member_key not like '%,%,%') c),
      'huddles', (
        select coalesce(json_agg(json_build_object('user_ids', member_key, 'ids', ids) order by member_key), '[]')
          from conversing where member_key like '%,%,%'),
      'mentions', (
        select string_agg(id::text, ',' order by id) from unread u
         where grouped or (wide and coalesce(u.channel_id not in (select * from muted), true)) or id in (
           select message_id from personal_message
            where realm_id = p_realm and user_id = p_user and mentioned and message_id >= p_low)),
      'missing', p_missing or (select count(*) from everything) > p_most));
end $$;

-- The newest 50,000 unread messages of a user. So that few more than these are read, however many there are, they are
-- first counted from the end of the log, in parts that become larger. What is left out may only be older.
create or replace function section_unread_v1(p_realm integer, p_user integer) returns json
language plpgsql stable set enable_seqscan = off as $$
declare
  v_most constant integer := 50000;
  v_oldest bigint;
  v_low bigint := log_head_v1(p_realm) + 1;
  v_size bigint := 2 * v_most;
  v_count bigint := 0;
begin
  v_oldest := least((select min(first_of_v1(range_merge(gaps))) from unread_gaps_v1(p_realm, p_user)),
                    (select min(message_id) from unread_rows_v1(p_realm, p_user)));
  if v_oldest is null or v_low - v_oldest <= v_size then
    return unread_from_v1(p_realm, p_user, 0, v_most, false);
  end if;
  while v_low > v_oldest and v_count <= v_most loop
    v_count := v_count + (
      select count(*) from unread_gaps_v1(p_realm, p_user) g
       cross join unnest(g.gaps * int8multirange(int8range(v_low - v_size, v_low))) as each
       cross join lateral (
         select from message m
          where m.realm_id = p_realm and m.channel_id = g.channel_id
            and m.id >= first_of_v1(each) and m.id < end_of_v1(each)
            and not (m.sender_id = p_user and m.read_by_sender)
         union all
         select from message m
          where m.realm_id = p_realm and m.conversation_id = g.conversation_id
            and m.id >= first_of_v1(each) and m.id < end_of_v1(each)
            and not (m.sender_id = p_user and m.read_by_sender)
         offset 0) m);
    v_low := v_low - v_size;
    v_size := 2 * v_size;
  end loop;
  return unread_from_v1(p_realm, p_user, v_low, v_most, v_count > v_most);
end $$;
