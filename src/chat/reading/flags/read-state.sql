-- Read state: which messages are unread for whom, and its changes. A message is *by nature* unread for whoever received
-- it by a subscription that is still open, or in a conversation, did not send it as read and had not muted its sender; of
-- the notice that a topic is resolved, who wants to have it unread (message.muted_for is everybody else).
-- It is read all the same up to the user's read_floor, and in their read_ranges. Anything else is unread where a personal
-- row says so. Messages never change the place in which they were sent, and ids only rise: so what is said here about
-- the nature of a message stays true but for subscriptions that end, and for moves.
--
-- A message that was moved to another channel keeps its read state in the place where it was sent. It is by nature unread
-- for whoever is in both channels since before it came into each. So a move changes nobody's read state, and who leaves
-- either channel has read it.

-- The place of a message, by the channel in which it was sent; see read_ranges.
create or replace function place_v1(p_channel integer, p_conversation bigint) returns bigint language sql immutable as $$
  select case when p_channel is null then p_conversation * 2 + 1 else p_channel::bigint * 2 end
$$;

create or replace function read_floor_v1(p_realm integer, p_user integer) returns bigint language sql stable as $$
  select coalesce((select position from read_floor where realm_id = p_realm and user_id = p_user), 0)
$$;

-- Whether a user holds a message by a subscription that is still open: that of the channel in which the message is since
-- a position.
create or replace function holds_now_v1(p_realm integer, p_user integer, p_channel integer, p_since bigint)
returns boolean language sql stable as $$
  select exists (select from subscription_span
                  where realm_id = p_realm and channel_id = p_channel and user_id = p_user and closed is null
                    and opened <= p_since)
$$;

-- When a user left the channel in which a message is, or that in which it was sent, after a position: what a personal row
-- has said since that position to be unread is read. Of a direct message there is nothing. A function that returns a table
-- becomes a part of the statement in whose "from" it stands.
create or replace function left_since_v1(
  p_realm integer, p_user integer, p_channel integer, p_moved_from integer, p_position bigint
) returns table (closed bigint) language sql stable as $$
  select s.closed from subscription_span s
   where s.realm_id = p_realm and s.user_id = p_user and s.channel_id in (p_channel, p_moved_from)
     and s.closed > p_position
$$;

-- Whether a message was read from the start for a user.
create or replace function read_from_start_v1(
  p_user integer, p_sender integer, p_read_by_sender boolean, p_muted_for int4multirange
) returns boolean language sql immutable as $$
  select (p_sender = p_user and p_read_by_sender) or coalesce(p_muted_for @> p_user, false)
$$;

-- The messages that are unread because a personal row says so, until the user leaves the channel in which they are, or
-- were sent.
create or replace function unread_rows_v1(p_realm integer, p_user integer)
returns table (message_id bigint) language sql stable as $$
  select p.message_id from personal_message p join message m on m.realm_id = p.realm_id and m.id = p.message_id
   where p.realm_id = p_realm and p.user_id = p_user and p.unread_since is not null
     and p.unread_since > read_floor_v1(p_realm, p_user)
     and not exists (select from left_since_v1(p_realm, p_user, m.channel_id, m.moved_from, p.unread_since))
$$;

-- Those of them that are among some ids: as many look-ups as ranges, however many others are unread.
create or replace function unread_rows_among_v1(p_realm integer, p_user integer, p_ids int8multirange)
returns table (message_id bigint) language sql stable as $$
  select p.message_id from unnest(p_ids) as each cross join lateral (
      select o.message_id, o.unread_since from personal_message o
       where o.realm_id = p_realm and o.user_id = p_user and o.unread_since is not null
         and o.message_id >= first_of_v1(each) and o.message_id < end_of_v1(each)
      offset 0) p
    join message m on m.realm_id = p_realm and m.id = p.message_id
   where exists (
       select from personal_message where realm_id = p_realm and user_id = p_user and unread_since is not null)
     and p.unread_since > read_floor_v1(p_realm, p_user)
     and not exists (select from left_since_v1(p_realm, p_user, m.channel_id, m.moved_from, p.unread_since))
$$;

-- The ranges of ids where unread messages of a user may be: for each channel they are in, and each conversation, the
-- ids that are neither up to their floor nor in their ranges. Of the messages that were sent there, and that the user
-- still holds, only those that were read from the start are not unread in them.
create or replace function unread_gaps_v1(p_realm integer, p_user integer)
returns table (channel_id integer, conversation_id bigint, gaps int8multirange) language sql stable as $$
  with floor as materialized (select read_floor_v1(p_realm, p_user) as floor),
  read as materialized (
    select place, range_agg(ranges) as ranges from read_ranges
     where realm_id = p_realm and user_id = p_user group by place)
  select p.channel_id, p.conversation_id,
         int8multirange(int8range(greatest(p.opened, floor.floor + 1), null)) - coalesce(read.ranges, '{}')
    from (
      select s.channel_id, null::bigint as conversation_id, s.opened, s.channel_id::bigint * 2 as place
        from subscription_span s where s.realm_id = p_realm and s.user_id = p_user and s.closed is null
      union all
      select null, c.conversation_id, c.conversation_id, c.conversation_id * 2 + 1
        from conversation_member c where c.realm_id = p_realm and c.user_id = p_user) p
    cross join floor left join read on read.place = p.place
$$;

-- The rows of read_ranges between the first and the last of some ids of a place, which are few of those that a user may
-- have. `next`: where the row after it begins.
create or replace function ranges_about_v1(p_realm integer, p_user integer, p_place bigint, p_ids int8multirange)
returns table (low bigint, next bigint, ranges int8multirange) language sql stable as $$
  select r.low, (
      select min(n.low) from read_ranges n
       where n.realm_id = p_realm and n.user_id = p_user and n.place = p_place and n.low > r.low), r.ranges
    from read_ranges r
   where r.realm_id = p_realm and r.user_id = p_user and r.place = p_place and r.low < end_of_v1(range_merge(p_ids))
     and r.low >= coalesce((
       select max(f.low) from read_ranges f
        where f.realm_id = p_realm and f.user_id = p_user and f.place = p_place
          and f.low <= first_of_v1(range_merge(p_ids))), 0)
$$;

-- Adds ids to what a user has read of a place, or removes some. A row that has grown too large is divided.
create or replace function change_read_ranges_v1(
  p_realm integer, p_user integer, p_place bigint, p_added int8multirange, p_removed int8multirange, p_floor bigint
) returns void language plpgsql as $$
declare
  v_row record;
  v_ranges int8multirange;
  -- 21 bytes each: a row of three times as many is still stored in one piece, which is read many times faster.
  v_most constant integer := 25;
begin
  if not exists (select from read_ranges where realm_id = p_realm and user_id = p_user and place = p_place) then
    insert into read_ranges (realm_id, user_id, place, low, ranges) values (p_realm, p_user, p_place, 0, '{}');
  end if;
  for v_row in
    select * from ranges_about_v1(p_realm, p_user, p_place, p_added + p_removed)
     where int8range(low, next) && (p_added + p_removed)
  loop
    v_ranges := (v_row.ranges + p_added * int8multirange(int8range(v_row.low, v_row.next)) - p_removed)
      * int8multirange(int8range(p_floor + 1, null));
    if pg_column_size(v_ranges) <= 3 * 21 * v_most then
      update read_ranges set ranges = v_ranges
       where realm_id = p_realm and user_id = p_user and place = p_place and low = v_row.low;
    else
      delete from read_ranges where realm_id = p_realm and user_id = p_user and place = p_place and low = v_row.low;
      insert into read_ranges (realm_id, user_id, place, low, ranges)
      select p_realm, p_user, p_place, case when part = 0 then v_row.low else min(first_of_v1(each)) end, range_agg(each)
        from (select each, (n - 1) / v_most as part from unnest(v_ranges) with ordinality as r(each, n)) numbered
       group by part;
    end if;
  end loop;
end $$;

-- Writes the row of a change of flags, made by the program, with the messages that it changes. Answers its outcome.
create or replace function write_flags_v1(p_realm integer, p_row jsonb, p_changed int8multirange, p_details jsonb default null)
returns jsonb language plpgsql as $$
declare
  v_count bigint := (select coalesce(sum(end_of_v1(each) - first_of_v1(each)), 0) from unnest(p_changed) as each);
begin
  if v_count > 0 then
    perform append_row_v1(p_realm, jsonb_set(p_row, '{payload}', p_row -> 'payload'
      || jsonb_build_object('messages', p_changed::text)
      || case when p_details is null then '{}' else jsonb_build_object('details', p_details) end));
  end if;
  return jsonb_build_object('changed', v_count);
end $$;

-- The ids in some ranges. Rows with these are found by as many searches in an index, wherever the ids lie.
create or replace function ids_in_v1(p_ids int8multirange) returns bigint[] language sql immutable as $$
  select coalesce(array_agg(id), '{}')
    from unnest(p_ids) as each cross join generate_series(first_of_v1(each), end_of_v1(each) - 1) as id
$$;

-- Deletes those of a user's personal rows in which nothing is left. A row that says that they hold the message stays.
create or replace function drop_empty_rows_v1(p_realm integer, p_user integer, p_ids int8multirange) returns void
language sql set enable_seqscan = off as $$
  delete from personal_message
   where realm_id = p_realm and user_id = p_user and message_id = any(ids_in_v1(p_ids))
     and not (mentioned or starred or collapsed or historical) and unread_since is null
$$;

-- Marks messages as read. A call: {"user_id", "asked", "places": [{"place", "ids", "reach"}], "row"}. `asked`: all ids
-- that are meant; `ids`: those of them that are unread by nature; `reach`: the same, extended down to the message before
-- each. Outcome: {"changed": n}. The row names the messages that were unread; without one there is none.
create or replace function read_messages_v1(p_realm integer, p_calls jsonb) returns jsonb
language plpgsql set enable_seqscan = off as $$
declare
  v_call record;
  v_place record;
  v_floor bigint;
  v_left int8multirange;
  v_changed int8multirange;
  v_rows bigint[];
  v_outcomes jsonb := '[]';
begin
  for v_call in
    select * from jsonb_to_recordset(p_calls) as c(user_id integer, asked int8multirange, places jsonb, "row" jsonb)
  loop
    v_floor := read_floor_v1(p_realm, v_call.user_id);
    v_changed := '{}';
    for v_place in
      select * from jsonb_to_recordset(v_call.places) as p(place bigint, ids int8multirange, reach int8multirange)
    loop
      v_left := v_place.ids * int8multirange(int8range(v_floor + 1, null)) - coalesce((
        select range_agg(about.ranges) from ranges_about_v1(p_realm, v_call.user_id, v_place.place, v_place.ids) about
      ), '{}');
      if not isempty(v_left) then
        perform change_read_ranges_v1(p_realm, v_call.user_id, v_place.place, v_place.reach, '{}', v_floor);
        v_changed := v_changed + v_left;
      end if;
    end loop;
    select array_agg(r.message_id) into v_rows from unread_rows_among_v1(p_realm, v_call.user_id, v_call.asked) r;
    if v_rows is not null then
      update personal_message set unread_since = null
       where realm_id = p_realm and user_id = v_call.user_id and message_id = any(v_rows);
      v_left := (select range_agg(int8range(id, id, '[]')) from unnest(v_rows) as id);
      perform drop_empty_rows_v1(p_realm, v_call.user_id, v_left);
      v_changed := v_changed + v_left;
    end if;
    v_outcomes := v_outcomes || write_flags_v1(p_realm, v_call."row", v_changed);
  end loop;
  return v_outcomes;
end $$;

-- Marks messages as unread. A call: {"user_id", "places": [{"place", "ids"}], "others", "historical", "row"}. `ids`: those
-- that are unread by nature; `others`: the rest; `historical`: those of the rest that the user did not receive. Only
-- what is up to the floor, or not unread by nature, takes a personal row. Outcome: {"changed": n}.
create or replace function unread_messages_v1(p_realm integer, p_calls jsonb) returns jsonb
language plpgsql set enable_seqscan = off as $$
declare
  v_call record;
  v_place record;
  v_floor bigint;
  v_read int8multirange;
  v_rows int8multirange;
  v_changed int8multirange;
  v_outcomes jsonb := '[]';
begin
  for v_call in
    select * from jsonb_to_recordset(p_calls) as c(
      user_id integer, places jsonb, others int8multirange, historical int8multirange, "row" jsonb)
  loop
    v_floor := read_floor_v1(p_realm, v_call.user_id);
    v_changed := '{}';
    v_rows := v_call.others;
    for v_place in select * from jsonb_to_recordset(v_call.places) as p(place bigint, ids int8multirange) loop
      v_rows := v_rows + v_place.ids * int8multirange(int8range(0, v_floor + 1));
      v_read := v_place.ids * int8multirange(int8range(v_floor + 1, null)) * coalesce((
        select range_agg(about.ranges) from ranges_about_v1(p_realm, v_call.user_id, v_place.place, v_place.ids) about
      ), '{}');
      if not isempty(v_read) then
        perform change_read_ranges_v1(p_realm, v_call.user_id, v_place.place, '{}', v_read, v_floor);
        v_changed := v_changed + v_read - coalesce((
          select range_agg(int8range(r.message_id, r.message_id, '[]'))
            from unread_rows_among_v1(p_realm, v_call.user_id, v_read) r), '{}');
      end if;
    end loop;
    v_rows := v_rows - coalesce((
      select range_agg(int8range(r.message_id, r.message_id, '[]'))
        from unread_rows_among_v1(p_realm, v_call.user_id, v_rows) r), '{}');
    insert into personal_message as p (realm_id, user_id, message_id, historical, unread_since)
    select p_realm, v_call.user_id, id, id <@ v_call.historical, current_setting('parley.position')::bigint + 1
      from unnest(v_rows) as each cross join generate_series(first_of_v1(each), end_of_v1(each) - 1) as id
        on conflict (realm_id, user_id, message_id) do update set unread_since = excluded.unread_since;
    v_changed := v_changed + v_rows;
    v_outcomes := v_outcomes
      || write_flags_v1(p_realm, v_call."row", v_changed, unread_details_v1(p_realm, v_call.user_id, v_changed));
  end loop;
  return v_outcomes;
end $$;

-- Marks everything as read. A call: {"user_id", "row"}. Outcome: {}. What it makes needless goes in parts, some with each
-- call, but not more with many calls at once: rows that are left have no effect.
create or replace function read_all_v1(p_realm integer, p_calls jsonb) returns jsonb
language plpgsql set enable_seqscan = off as $$
declare
  v_call record;
  v_position bigint;
  v_needless bigint[];
  v_most integer := greatest(1, 500 / jsonb_array_length(p_calls));
  v_outcomes jsonb := '[]';
begin
  for v_call in select * from jsonb_to_recordset(p_calls) as c(user_id integer, "row" jsonb) loop
    v_position := append_row_v1(p_realm, v_call."row");
    insert into read_floor (realm_id, user_id, position) values (p_realm, v_call.user_id, v_position)
        on conflict (realm_id, user_id) do update set position = excluded.position;
    delete from read_ranges where realm_id = p_realm and user_id = v_call.user_id and (place, low) in (
      select place, low from read_ranges where realm_id = p_realm and user_id = v_call.user_id limit v_most);
    v_needless := array(
      select message_id from personal_message
       where realm_id = p_realm and user_id = v_call.user_id and unread_since is not null limit v_most);
    update personal_message set unread_since = null
     where realm_id = p_realm and user_id = v_call.user_id and message_id = any(v_needless);
    perform drop_empty_rows_v1(p_realm, v_call.user_id, (
      select coalesce(range_agg(int8range(id, id, '[]')), '{}') from unnest(v_needless) as id));
    v_outcomes := v_outcomes || '{}'::jsonb;
  end loop;
  return v_outcomes;
end $$;
