-- Who may read a channel changes without anybody coming or going: it becomes private or public, its history shared or
-- protected, a group that reads it another one. This tells clients which messages they lose by that, and which they get.

-- Most messages that rows name for one channel, and most pairs of a user and a message that are looked at: some 50 ms under
-- the lock. Where that is not enough the queues of these users end, and their clients register again.
create or replace function access_limits_v1(out messages integer, out pairs integer) language sql immutable as $$
  select 500, 5000
$$;

-- Counts pairs that are told of in this commit; false once all its steps together have had too many.
create or replace function spend_pairs_v1(p_pairs bigint) returns boolean language sql volatile as $$
  select set_config('parley.pairs', (
    p_pairs + coalesce(nullif(current_setting('parley.pairs', true), ''), '0')::bigint)::text, true)::bigint
    <= 2 * (access_limits_v1()).pairs
$$;

-- Tells users of messages: `p_users` and `p_messages` are pairs. A row for each topic and set of users; `p_row`: of the type
-- delete_message or update_message, made by the program; `p_links`: of the latter, the links of topics that have some.
create or replace function tell_pairs_v1(p_realm integer, p_row jsonb, p_users integer[], p_messages bigint[], p_links jsonb)
returns void language plpgsql set enable_seqscan = off as $$
declare
  v_part record;
  v_payload jsonb;
begin
  for v_part in
    select m.topic, whose.users, array_agg(m.id order by m.id) as ids, array_agg(m.channel_since order by m.id) as since
      from (select pair.message, array_agg(distinct pair."user" order by pair."user") as users
              from unnest(p_users, p_messages) as pair("user", message) group by pair.message) whose
     cross join lateral (
       select o.id, o.topic, o.channel_since from message o where o.realm_id = p_realm and o.id = whose.message offset 0) m
     group by m.topic, whose.users order by min(m.id)
  loop
    v_payload := jsonb_set(p_row -> 'payload', '{messages}', p_row #> '{payload,messages}'
      || jsonb_build_object('ids', to_jsonb(v_part.ids))
      || case when v_part.since <> v_part.ids then jsonb_build_object('since', to_jsonb(v_part.since)) else '{}' end);
    v_payload := case when p_row ->> 'type' = 'delete_message'
      then v_payload || jsonb_build_object('topic', v_part.topic)
      else v_payload || jsonb_build_object('message_id', v_part.ids[1], 'flags', jsonb_build_object('since', v_part.since[1]),
        'moved', v_payload -> 'moved' || jsonb_build_object(
          'topic', v_part.topic, 'topic_links', coalesce(p_links -> v_part.topic, '[]'))) end;
    perform append_row_v1(p_realm, p_row || jsonb_build_object('payload', v_payload,
      'audience', jsonb_build_object('kind', 'users', 'users', to_jsonb(v_part.users)),
      'width', case when p_row ->> 'type' = 'delete_message' then cardinality(v_part.ids) else 1 end));
  end loop;
end $$;

create or replace function end_queues_of_v1(p_realm integer, p_row jsonb, p_users integer[]) returns void
language plpgsql as $$
begin
  if cardinality(p_users) > 0 then
    perform write_row_v1(p_realm, jsonb_set(p_row, '{payload,user_ids}', to_jsonb(p_users)));
  end if;
end $$;

-- The active users who are not in a channel, nor among `p_readers`.
create or replace function outsiders_v1(p_realm integer, p_channel integer, p_readers jsonb) returns integer[]
language sql stable as $$
  select coalesce(array_agg(o.user_id), '{}') from (
    select r.user_id from role_span r
     where r.realm_id = p_realm and r.closed is null
       and not exists (select from subscription_span s
                        where s.realm_id = p_realm and s.channel_id = p_channel and s.user_id = r.user_id and s.closed is null)
    except select value::integer from jsonb_array_elements_text(p_readers)) o
$$;

-- The pairs of some users and messages of a channel that they hold, by spans or by rows of their own; null where there are
-- more than `p_most`, or more than four times as many rows of their own would have to be looked at. The rows of a few users
-- are found by these, else by the messages of the channel, which are few then.
create or replace function held_pairs_v2(
  p_realm integer, p_channel integer, p_users integer[], p_most integer, out users integer[], out messages bigint[]
) language plpgsql stable set enable_seqscan = off as $$
declare
  v_of integer[] := case when cardinality(p_users) <= 50 then p_users end;
  v_own record;
begin
  select array_agg(o.user_id) as users, array_agg(o.message_id) as messages, count(*) as n into v_own from (
    select o.user_id, o.message_id from unnest(v_of) as u(id) cross join lateral (
      select p.user_id, p.message_id from personal_message p where p.realm_id = p_realm and p.user_id = u.id offset 0) o
    union all
    select o.user_id, o.message_id from (
        select m.id from message m
         where v_of is null and m.realm_id = p_realm and m.channel_id = p_channel limit p_most + 1) m
     cross join lateral (
      select p.user_id, p.message_id from personal_message p where p.realm_id = p_realm and p.message_id = m.id offset 0) o
    limit 4 * p_most + 1) o;
  if v_own.n > 4 * p_most then
    return;
  end if;
  select coalesce(array_agg(pair.user_id), '{}'), coalesce(array_agg(pair.id), '{}') into users, messages from (
    select distinct pair.user_id, pair.id from (
      select s.user_id, m.id from subscription_span s cross join lateral (
          (select o.id from message o
            where o.realm_id = p_realm and o.channel_id = p_channel and o.id >= s.reads_from
              and o.id < coalesce(s.closed, 9223372036854775807) and o.channel_since < coalesce(s.closed, 9223372036854775807)
            order by o.id limit p_most + 1)
          union all
          (select o.id from message o
            where o.realm_id = p_realm and o.channel_id = p_channel and o.channel_since <> o.id and o.id < s.reads_from
              and o.channel_since >= s.reads_from and o.channel_since < coalesce(s.closed, 9223372036854775807)
            order by o.id limit p_most + 1)) m
       where s.realm_id = p_realm and s.channel_id = p_channel and s.user_id = any(p_users)
      union all
      select own.user_id, own.message_id from unnest(v_own.users, v_own.messages) as own(user_id, message_id)
       where own.user_id = any(p_users)
         and exists (select from message m where m.realm_id = p_realm and m.id = own.message_id and m.channel_id = p_channel)
      limit p_most + 1) pair) pair;
  if cardinality(users) > p_most then
    users := null;
  end if;
end $$;

-- The users who may hold messages of a channel without being in it, of those whom `outsiders_v1` names: who was in it, or where
-- messages came from, and who has rows of their own. null: to find that out takes too long, because the channel has many messages.
create or replace function outside_holders_v1(p_realm integer, p_channel integer, p_outsiders integer[]) returns integer[]
language plpgsql stable set enable_seqscan = off as $$
declare
  v_most constant integer := (access_limits_v1()).pairs;
  v_messages bigint[] := array(
    select m.id from message m where m.realm_id = p_realm and m.channel_id = p_channel limit v_most + 1);
  v_own record;
begin
  if cardinality(v_messages) > v_most then
    return null;
  end if;
  select array_agg(distinct o.user_id) as users, count(*) as n into v_own from (
    select p.user_id from unnest(v_messages) as m(id) cross join lateral (
      select o.user_id from personal_message o where o.realm_id = p_realm and o.message_id = m.id offset 0) p
     limit 4 * v_most + 1) o;
  if v_own.n > 4 * v_most then
    return null;
  end if;
  return array(
    select found.id from (
      select s.user_id as id from subscription_span s where s.realm_id = p_realm and s.channel_id = p_channel
      union
      select s.user_id from (
          select distinct k.channel_id from unnest(v_messages) as m(id) cross join lateral (
            select o.channel_id from kept_place o where o.realm_id = p_realm and o.message_id = m.id offset 0) k) k
       cross join lateral (
         select o.user_id from subscription_span o where o.realm_id = p_realm and o.channel_id = k.channel_id offset 0) s
      union
      select unnest(v_own.users)) found
      join unnest(p_outsiders) as outsider(id) on outsider.id = found.id);
end $$;

-- Whom a change of a channel concerns (see lose_access_v1); null: that is not found out, and their queues have been ended.
create or replace function concerned_v1(p_realm integer, p_channel integer, p_users integer[], p_readers jsonb, p_end_row jsonb)
returns integer[] language plpgsql as $$
declare
  v_outsiders integer[];
  v_users integer[];
begin
  -- Of a few users each is looked at.
  if cardinality(p_users) <= 50 then
    return p_users;
  end if;
  v_outsiders := coalesce(p_users, outsiders_v1(p_realm, p_channel, p_readers));
  v_users := outside_holders_v1(p_realm, p_channel, v_outsiders);
  if v_users is null then
    perform end_queues_of_v1(p_realm, p_end_row, v_outsiders);
  end if;
  return v_users;
end $$;

-- A step before the rows of the change. Calls: {"channel_id", "users", "readers", "row", "end_row"}: those who lose what they
-- hold there. `users`: a list, or null: everybody who is not subscribed, but for those who read it by a group afterwards
-- (`readers`).
create or replace function lose_access_v1(p_realm integer, p_calls jsonb) returns jsonb
language plpgsql set enable_seqscan = off as $$
declare
  v_most constant record := access_limits_v1();
  v_call record;
  v_users integer[];
  v_held record;
  v_kept record;
  v_messages bigint[];
  v_is_told boolean;
begin
  for v_call in
    select * from jsonb_to_recordset(p_calls) as c(channel_id integer, users integer[], readers jsonb, "row" jsonb, end_row jsonb)
  loop
    v_users := concerned_v1(p_realm, v_call.channel_id, v_call.users, v_call.readers, v_call.end_row);
    if v_users is not null then
      v_held := held_pairs_v2(p_realm, v_call.channel_id, v_users, v_most.pairs);
      v_is_told := v_held.users is not null;
      if v_is_told then
        v_kept := kept_pairs_v1(p_realm, v_users, v_call.channel_id, v_most.pairs);
        v_messages := v_held.messages || v_kept.messages;
        v_is_told := v_kept.users is not null and spend_pairs_v1(cardinality(v_messages))
          and (select count(distinct m.id) from unnest(v_messages) as m(id)) <= v_most.messages;
      end if;
      if not v_is_told then
        perform end_queues_of_v1(p_realm, v_call.end_row, v_users);
      elsif cardinality(v_messages) > 0 then
        perform tell_pairs_v1(p_realm, v_call."row", v_held.users || v_kept.users, v_messages, null);
      end if;
    end if;
    update channel set kept_after = current_setting('parley.position')::bigint
     where realm_id = p_realm and id = v_call.channel_id and not is_private;
  end loop;
  return '[]';
end $$;

-- A step before the rows of the change. Calls: {"users", "channel_id", "row", "end_row"}: `users` become guests, or (null) the
-- guests may not read a public channel any more without being in it. They lose what they keep (kept-places.sql).
create or replace function lose_kept_v1(p_realm integer, p_calls jsonb) returns jsonb
language plpgsql set enable_seqscan = off as $$
declare
  v_most constant record := access_limits_v1();
  v_call record;
  v_users integer[];
  v_kept record;
  v_part record;
begin
  for v_call in
    select * from jsonb_to_recordset(p_calls) as c(users integer[], channel_id integer, "row" jsonb, end_row jsonb)
  loop
    v_users := coalesce(v_call.users, array(
      select user_id from role_span where realm_id = p_realm and closed is null and role >= 600));
    v_kept := kept_pairs_v1(p_realm, v_users, v_call.channel_id, v_most.pairs);
    update channel set guests_kept_after = current_setting('parley.position')::bigint
     where realm_id = p_realm and id = v_call.channel_id;
    if v_kept.users is null or not spend_pairs_v1(cardinality(v_kept.messages))
       or (select count(distinct id) from unnest(v_kept.messages) as m(id)) > v_most.messages then
      perform end_queues_of_v1(p_realm, v_call.end_row, v_users);
      continue;
    end if;
    for v_part in
      select channel_id, array_agg(user_id) as users, array_agg(message_id) as messages
        from unnest(v_kept.users, v_kept.messages, v_kept.channels) as k(user_id, message_id, channel_id)
       group by channel_id order by channel_id
    loop
      perform tell_pairs_v1(p_realm, jsonb_set(v_call."row", '{payload,messages,channel_id}', to_jsonb(v_part.channel_id)),
                            v_part.users, v_part.messages, null);
    end loop;
  end loop;
  return '[]';
end $$;

-- A step after the rows of the change. Calls: {"channel_id", "users", "readers", "row", "end_row"}: those who have again what
-- they hold there; `row`: of a change of flags, which tells them what is starred. `users`, `readers`: as of lose_access_v1.
create or replace function regain_access_v1(p_realm integer, p_calls jsonb) returns jsonb
language plpgsql set enable_seqscan = off as $$
declare
  v_call record;
  v_users integer[];
begin
  for v_call in
    select * from jsonb_to_recordset(p_calls) as c(channel_id integer, users integer[], readers jsonb, "row" jsonb, end_row jsonb)
  loop
    v_users := concerned_v1(p_realm, v_call.channel_id, v_call.users, v_call.readers, v_call.end_row);
    continue when v_users is null;
    perform tell_starred_v1(p_realm, jsonb_build_array(jsonb_build_object(
      'channel_id', v_call.channel_id, 'user_ids', to_jsonb(v_users), 'row', v_call."row", 'end_row', v_call.end_row)));
  end loop;
  return '[]';
end $$;

-- A step before or after the rows of the change. Calls: {"channel_id", "users", "row", "links"?, "end_row"}: subscribers who
-- lose, or get, what they do not hold of the channel's history.
create or replace function tell_history_v1(p_realm integer, p_calls jsonb) returns jsonb
language plpgsql set enable_seqscan = off as $$
declare
  v_most constant record := access_limits_v1();
  v_call record;
  v_ids bigint[];
  v_pairs record;
begin
  for v_call in
    select * from jsonb_to_recordset(p_calls) as c(
      channel_id integer, users integer[], "row" jsonb, links jsonb, end_row jsonb)
  loop
    v_ids := array(select m.id from message m
                    where m.realm_id = p_realm and m.channel_id = v_call.channel_id order by m.id limit v_most.messages + 1);
    if cardinality(v_ids) > v_most.messages or cardinality(v_ids) * cardinality(v_call.users) > v_most.pairs
       or not spend_pairs_v1(cardinality(v_ids) * cardinality(v_call.users)) then
      perform end_queues_of_v1(p_realm, v_call.end_row, v_call.users);
      continue;
    end if;
    select array_agg(u.id) as users, array_agg(m.id) as messages into v_pairs
      from unnest(v_ids) as wanted(id) cross join lateral (
        select o.id, o.channel_since from message o where o.realm_id = p_realm and o.id = wanted.id offset 0) m
     cross join unnest(v_call.users) as u(id)
     where not holds_by_span_v1(p_realm, u.id, v_call.channel_id, m.channel_since)
       and not exists (select from personal_message p
                        where p.realm_id = p_realm and p.user_id = u.id and p.message_id = m.id);
    if v_pairs.users is not null then
      perform tell_pairs_v1(p_realm, v_call."row", v_pairs.users, v_pairs.messages, v_call.links);
    end if;
  end loop;
  return '[]';
end $$;
