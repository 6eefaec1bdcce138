-- The traffic of channels: messages, counted once a day.

-- The messages of this time or later have this id or a higher one. `ordered_at` never falls, so the bound is searched for
-- by halves, down the primary key: 20 looks among a million messages. Where the clock was set back, messages above the
-- bound may bear an earlier time.
create or replace function messages_since_v1(p_realm integer, p_time bigint) returns bigint
language plpgsql stable set enable_seqscan = off as $$
declare
  v_low bigint := coalesce((select min(id) from message where realm_id = p_realm), 0);
  v_high bigint := coalesce((select max(id) + 1 from message where realm_id = p_realm), 0);
  v_middle bigint;
  v_id bigint;
  v_at bigint;
begin
  while v_low < v_high loop
    v_middle := v_low + (v_high - v_low) / 2;
    select id, coalesce(ordered_at, sent_at) into v_id, v_at from message
     where realm_id = p_realm and id >= v_middle order by id limit 1;
    if v_at >= p_time then
      v_high := v_middle;
    else
      v_low := v_id + 1;
    end if;
  end loop;
  return v_high;
end $$;

-- For each of these channels: the number of messages that were sent from p_since on, and when the newest was. p_from:
-- the bound of their ids (messages_since_v1). Messages that bear a time after p_latest do not count, because the clock
-- was wrong. Times are looked at only where it was: counting in the index alone takes a tenth of the time.
create or replace function count_messages_v2(
  p_realm integer, p_channels jsonb, p_from bigint, p_since bigint, p_latest bigint
) returns table (channel_id integer, sent bigint, newest_at bigint)
language plpgsql stable set enable_seqscan = off as $$
declare
  v_is_ordered boolean := coalesce((
    select sent_at <= p_latest from message where realm_id = p_realm order by id desc limit 1), true);
begin
  if v_is_ordered then
    v_is_ordered := not exists (
      select from message where realm_id = p_realm and id >= p_from and ordered_at is not null);
  end if;
  return query select c.id,
      case when v_is_ordered then (
        select count(*) from message m where m.realm_id = p_realm and m.channel_id = c.id and m.id >= p_from)
      else (
        select count(*) from message m where m.realm_id = p_realm and m.channel_id = c.id and m.id >= p_from
                                         and m.sent_at between p_since and p_latest)
      end, (
      select m.sent_at from message m where m.realm_id = p_realm and m.channel_id = c.id and m.sent_at <= p_latest
       order by m.id desc limit 1)
    from (select value::integer as id from jsonb_array_elements_text(p_channels)) c;
end $$;

-- Calls: {"changes": [{"channel_id", "quiet", "row"}, ...], "counted_through", "counted_at"?}: rows about channels (steps.sql),
-- as they were counted when the log's head was counted_through. None grows quiet to which something was sent since.
-- `counted_at`: with the last of them. Outcome: {}.
create or replace function note_traffic_v2(p_realm integer, p_calls jsonb) returns jsonb language plpgsql as $$
declare
  v_call jsonb;
  v_change record;
  v_outcomes jsonb := '[]';
begin
  for v_call in select value from jsonb_array_elements(p_calls) loop
    for v_change in
      select c.channel_id, c.quiet, c.row
        from jsonb_to_recordset(v_call -> 'changes') as c(channel_id integer, quiet boolean, row jsonb)
    loop
      continue when v_change.quiet and exists (
        select from message m where m.realm_id = p_realm and m.channel_id = v_change.channel_id
                                and m.id > (v_call ->> 'counted_through')::bigint);
      perform write_row_v1(p_realm, v_change.row);
    end loop;
    update realm set traffic_counted_at = (v_call ->> 'counted_at')::bigint
     where id = p_realm and v_call ? 'counted_at';
    v_outcomes := v_outcomes || '{}'::jsonb;
  end loop;
  return v_outcomes;
end $$;
