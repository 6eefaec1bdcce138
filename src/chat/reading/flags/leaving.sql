-- Leaving a channel ends the subscription by which messages were unread that were sent there or are there now, so all of
-- them are read, and what is stored about them goes. This writes the events that tell the clients.

-- The channels in which messages were sent that are in this one now.
create or replace function moved_from_v1(p_realm integer, p_channel integer) returns setof integer
language sql stable set enable_seqscan = off as $$
  with recursive origin as (
    (select moved_from from message
      where realm_id = p_realm and channel_id = p_channel and moved_from is not null order by moved_from limit 1)
    union all
    select next.moved_from from origin cross join lateral (
      select m.moved_from from message m
       where m.realm_id = p_realm and m.channel_id = p_channel and m.moved_from > origin.moved_from
       order by m.moved_from limit 1) as next)
  select moved_from from origin
$$;

-- A step after the row that ends subscriptions. A call: {"channel_id", "user_ids", "row", "end_row"}. `row`: a change of
-- flags, `end_row`: the end of some users' queues, both made by the program. It lists what each user had not read. Of many
-- users who have left much unread that takes too long under the lock; their clients register again.
create or replace function read_left_v1(p_realm integer, p_calls jsonb) returns jsonb
language plpgsql set enable_seqscan = off as $$
declare
  v_call record;
  v_user record;
  v_most integer;
  v_ends integer[];
  v_origins integer[];
begin
  for v_call in
    select * from jsonb_to_recordset(p_calls) as c(channel_id integer, user_ids integer[], "row" jsonb, end_row jsonb)
  loop
    -- Messages of each user that are looked for: 20,000 in all, but for large chunks.
    v_most := greatest(100, 20000 / greatest(1, cardinality(v_call.user_ids)));
    v_ends := '{}';
    v_origins := array(select moved_from_v1(p_realm, v_call.channel_id));
    for v_user in
      with leaver as materialized (
        select u.user_id, s.opened, s.closed, coalesce(f.position, 0) as floor
          from unnest(v_call.user_ids) as u(user_id) cross join lateral (
            select opened, closed from subscription_span
             where realm_id = p_realm and channel_id = v_call.channel_id and user_id = u.user_id
             order by opened desc limit 1) s
          left join read_floor f on f.realm_id = p_realm and f.user_id = u.user_id),
      left_unread as (
        select l.user_id, m.id, m.is_unread from leaver l cross join lateral (
          select m.id, m.is_unread from unnest(
              int8multirange(int8range(l.opened, l.closed)) * int8multirange(int8range(l.floor + 1, null)) - coalesce((
                select range_agg(r.ranges) from read_ranges r
                 where r.realm_id = p_realm and r.user_id = l.user_id and r.place = place_v1(v_call.channel_id, null)), '{}')
            ) as gap cross join lateral (
              select id, true as is_unread from (
                select id from message
                 where realm_id = p_realm and channel_id = v_call.channel_id and moved_from is null
                   and id >= first_of_v1(gap) and id < end_of_v1(gap)
                   and not read_from_start_v1(l.user_id, sender_id, read_by_sender, muted_for)
                 order by id limit v_most + 1) own
              union all
              select id, holds_now_v1(p_realm, l.user_id, channel_id, channel_since) from (
                select id, channel_id, channel_since from message
                 where realm_id = p_realm and moved_from = v_call.channel_id
                   and id >= first_of_v1(gap) and id < end_of_v1(gap)
                   and not read_from_start_v1(l.user_id, sender_id, read_by_sender, muted_for)
                 order by id limit v_most + 1) away) m
          union all
          select m.id, m.channel_since >= l.opened and m.channel_since < l.closed from unnest(v_origins) as o(channel_id)
           cross join lateral (
             select opened from subscription_span
              where realm_id = p_realm and channel_id = o.channel_id and user_id = l.user_id and closed is null) s
           cross join unnest(
              int8multirange(int8range(greatest(s.opened, l.floor + 1), null)) - coalesce((
                select range_agg(r.ranges) from read_ranges r
                 where r.realm_id = p_realm and r.user_id = l.user_id and r.place = place_v1(o.channel_id, null)), '{}')
            ) as gap cross join lateral (
              select id, channel_since from message
               where realm_id = p_realm and channel_id = v_call.channel_id and moved_from = o.channel_id
                 and id >= first_of_v1(gap) and (end_of_v1(gap) is null or id < end_of_v1(gap))
                 and not read_from_start_v1(l.user_id, sender_id, read_by_sender, muted_for)
               order by id limit v_most + 1) m
          union all
          select p.message_id, true from personal_message p join message m on m.realm_id = p_realm and m.id = p.message_id
           where p.realm_id = p_realm and p.user_id = l.user_id and p.unread_since is not null
             and p.unread_since > l.floor and v_call.channel_id in (m.channel_id, m.moved_from)
             and not exists (
               select from left_since_v1(p_realm, l.user_id, m.channel_id, m.moved_from, p.unread_since) s
                where s.closed < l.closed)
          limit v_most + 1) m)
      select user_id, count(*) as count, range_agg(int8range(id, id, '[]')) filter (where is_unread) as ids
        from left_unread group by user_id
    loop
      if v_user.count > v_most then
        v_ends := v_ends || v_user.user_id;
      elsif v_user.ids is not null then
        perform write_parts_v2(p_realm, jsonb_set(v_call."row", '{audience}', jsonb_build_object(
          'kind', 'users', 'users', jsonb_build_array(v_user.user_id))), v_user.ids, 5000);
      end if;
    end loop;
    if cardinality(v_ends) > 0 then
      perform write_row_v1(p_realm, jsonb_set(v_call.end_row, '{payload,user_ids}', to_jsonb(v_ends)));
    end if;
    delete from read_ranges
     where realm_id = p_realm and user_id = any(v_call.user_ids) and place = place_v1(v_call.channel_id, null);
  end loop;
  return '[]';
end $$;

-- Rows of a change of flags, each with `p_most` messages at most.
create or replace function write_parts_v2(p_realm integer, p_row jsonb, p_changed int8multirange, p_most integer)
returns void language plpgsql as $$
declare
  v_part int8multirange;
begin
  for v_part in
    select range_agg(int8range(id, id, '[]')) from (
      select id, (row_number() over (order by id) - 1) / p_most as part
        from unnest(p_changed) as each cross join generate_series(first_of_v1(each), end_of_v1(each) - 1) as id) numbered
     group by part order by part
  loop
    perform write_flags_v1(p_realm, p_row, v_part);
  end loop;
end $$;
