-- The functions of the log. Only functions that commit_calls runs write to it: emit, and those that write many rows at
-- once.

-- Appends one row at the next position and answers that position. The counter is local to the transaction.
create or replace function emit_v1(
  p_realm integer, p_type text, p_rules boolean, p_payload jsonb, p_audience jsonb, p_width integer default 1,
  p_queue_id text default null, p_local_id text default null, p_is_message boolean default false
) returns bigint language plpgsql as $$
declare
  v_position bigint := current_setting('parley.position')::bigint + 1;
begin
  perform set_config('parley.position', v_position::text, true);
  if p_rules then
    perform set_config('parley.rules', v_position::text, true);
  end if;
  insert into log (realm_id, position, type, payload, audience, width, message_id, queue_id, local_id, at)
  values (p_realm, v_position, p_type, p_payload, p_audience, p_width,
          case when p_is_message then v_position end, p_queue_id, p_local_id, now_v1());
  return v_position;
end $$;

-- The time of the current commit: p_time of commit_calls, else the database's clock, read under the lock. It is before
-- that of the row before where the clock was set back: if it could not fall, one commit under a clock that is years
-- ahead would date all later messages years ahead, too.
create or replace function now_v1() returns bigint language sql stable as $$
  select current_setting('parley.time')::bigint
$$;

-- A row of the log as JSON, with its message's content: that with which it was sent, which the row itself has as `original`
-- once the message was edited. One expression of SQL, which becomes a part of the statement that calls it: a call of a
-- function in plpgsql took 40 us, this takes 4.
create or replace function row_json_v2(
  p_position bigint, p_type text, p_payload jsonb, p_audience jsonb, p_width integer, p_queue_id text, p_local_id text,
  p_at bigint, p_content text, p_rendered text
) returns json language sql stable as $$
  select case
    when p_payload ? 'original' then
      json_build_array(p_position, p_type, p_payload - 'original', p_audience, p_width, p_queue_id, p_local_id, p_at,
                       p_payload #>> '{original,0}', p_payload #>> '{original,1}')
    else
      json_build_array(p_position, p_type, p_payload, p_audience, p_width, p_queue_id, p_local_id, p_at,
                       p_content, p_rendered)
  end
$$;

-- Rows (p_after, p_through] in order, at most p_limit of them and about p_bytes, as JSON: {oldest, rows: [...]}.
-- `oldest` is the lowest position that the log still holds, null for an empty log. In plpgsql, which keeps its plans. A
-- loop, so that no more rows are made into JSON than fit: a page holds only 14 long messages, and making 1,000 of them
-- took a second. Messages are looked up by their keys, row by row (`offset 0`): another join was planned the wrong way round
-- in a young database, 800 ms for 128 rows.
create or replace function log_rows_v1(
  p_realm integer, p_after bigint, p_through bigint, p_limit integer, p_bytes integer
) returns text language plpgsql stable set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
declare
  v_log record;
  v_row text;
  v_rows text[] := '{}';
  v_bytes bigint := 0;
begin
  for v_log in
    select l.*, m.content, m.rendered
      from (select * from log where realm_id = p_realm and position > p_after and position <= p_through
             order by position limit p_limit) as l
      left join lateral (
        select content, rendered from message where realm_id = p_realm and id = l.message_id offset 0) as m on true
     order by l.position
  loop
    exit when v_bytes >= p_bytes;
    v_row := row_json_v2(v_log.position, v_log.type, v_log.payload, v_log.audience, v_log.width, v_log.queue_id,
                         v_log.local_id, v_log.at, v_log.content, v_log.rendered)::text;
    v_rows := v_rows || v_row;
    v_bytes := v_bytes + length(v_row);
  end loop;
  return '{"oldest":' || coalesce((select min(position) from log where realm_id = p_realm)::text, 'null')
    || ',"rows":[' || array_to_string(v_rows, ',') || ']}';
end $$;

-- The newest position; 0 for an empty log.
create or replace function log_head_v1(p_realm integer) returns bigint language plpgsql stable as $$
begin
  return coalesce((select max(position) from log where realm_id = p_realm), 0);
end $$;

-- The rows that a commit has added: those after the head that it found, as JSON texts joined by commas and line feeds. One plan for all: a plan for each
-- value, which would be estimated to be cheaper because few rows are newer, took 0.3 ms of every commit.
create or replace function committed_rows_v2(p_realm integer, p_head bigint) returns text
language plpgsql stable set plan_cache_mode = force_generic_plan as $$
begin
  return coalesce((
    select string_agg(row_json_v2(l.position, l.type, l.payload, l.audience, l.width, l.queue_id, l.local_id, l.at,
                                  m.content, m.rendered)::text, E',\n' order by l.position)
      from (select * from log where realm_id = p_realm and position > p_head offset 0) as l
      left join lateral (
        select content, rendered from message where realm_id = p_realm and id = l.message_id offset 0) as m on true
  ), '');
end $$;

-- Runs a commit; the only way to write to the log. p_calls: [{"fn": name, "calls": [...]}, ...]; each fn takes (realm,
-- calls) and answers one outcome per call. Answers {state, ...}, and in the lines after it the rows that the commit added
-- (committed_rows_v2), which go to other processes as they are:
--   done     outcomes in the order of the calls, head
--   stale    the rules that the calls were judged by have changed since p_judged_at; nothing was done
--   void     this commit was given up before it arrived; nothing was done
--   foreign  another server holds the database; nothing was done
--   missing  there is no such realm
-- Its first statement takes the lock: in READ COMMITTED each later statement sees everything committed under the lock
-- before. Sequential scans are off: a plan made while the tables were empty would keep them, and each send would read
-- all earlier messages.
create or replace function commit_calls_v2(
  p_realm integer, p_holder text, p_judged_at bigint, p_commit_id text, p_calls text, p_time bigint
) returns text language plpgsql set enable_seqscan = off as $$
declare
  v_lock realm_lock%rowtype;
  v_known commit_outcome%rowtype;
  v_head bigint;
  v_group jsonb;
  v_answers jsonb;
  v_outcomes jsonb := '[]';
  v_rules text;
begin
  select * into v_lock from realm_lock where realm_id = p_realm for update;
  if not found then
    return json_build_object('commit', p_commit_id, 'state', 'missing');
  end if;
  if v_lock.holder <> p_holder then
    return json_build_object('commit', p_commit_id, 'state', 'foreign');
  end if;
  select * into v_known from commit_outcome where realm_id = p_realm and commit_id = p_commit_id;
  if found then
    return json_build_object('commit', p_commit_id, 'state', case when v_known.outcomes is null then 'void' else 'done' end,
                             'outcomes', v_known.outcomes::json, 'head', log_head_v1(p_realm));
  end if;
  v_head := log_head_v1(p_realm);
  if v_lock.rules_position > p_judged_at then
    return json_build_object('commit', p_commit_id, 'state', 'stale', 'head', v_head);
  end if;

  perform set_config('parley.position', v_head::text, true);
  perform set_config('parley.rules', '', true);
  perform set_config(
    'parley.time', coalesce(p_time, (extract(epoch from clock_timestamp()) * 1000)::bigint)::text, true);
  for v_group in select value from jsonb_array_elements(p_calls::jsonb) loop
    execute format('select %I($1, $2)', v_group ->> 'fn') into v_answers using p_realm, v_group -> 'calls';
    v_outcomes := v_outcomes || v_answers;
  end loop;

  v_rules := current_setting('parley.rules');
  if v_rules <> '' then
    update realm_lock set rules_position = v_rules::bigint where realm_id = p_realm;
  end if;
  -- Values of a call that declares itself private (parley.private) are not stored: after a lost answer they are gone.
  insert into commit_outcome (realm_id, commit_id, outcomes, at)
  values (p_realm, p_commit_id, case when current_setting('parley.private', true) = 'true' then (
            select jsonb_agg(o.value - 'values' order by o.n) from jsonb_array_elements(v_outcomes) with ordinality as o(value, n))
          else v_outcomes end::text, now_v1());
  return json_build_object(
    'commit', p_commit_id, 'state', 'done', 'outcomes', v_outcomes, 'head', current_setting('parley.position')::bigint
  )::text || E'\n' || committed_rows_v2(p_realm, v_head);
end $$;

-- Settles a commit whose answer was lost: answers its outcomes if it is done; otherwise declares it void, so that its
-- statement, if it arrives later, does nothing.
create or replace function settle_commit_v1(p_realm integer, p_holder text, p_commit_id text)
returns text language plpgsql as $$
declare
  v_lock realm_lock%rowtype;
  v_known commit_outcome%rowtype;
begin
  select * into v_lock from realm_lock where realm_id = p_realm for update;
  if v_lock.holder is distinct from p_holder then
    return json_build_object('commit', p_commit_id, 'state', 'foreign');
  end if;
  select * into v_known from commit_outcome where realm_id = p_realm and commit_id = p_commit_id;
  if not found then
    insert into commit_outcome (realm_id, commit_id, outcomes, at)
    values (p_realm, p_commit_id, null, (extract(epoch from clock_timestamp()) * 1000)::bigint);
  end if;
  return json_build_object('commit', p_commit_id, 'state', case when v_known.outcomes is null then 'void' else 'done' end,
                           'outcomes', v_known.outcomes::json, 'head', log_head_v1(p_realm));
end $$;

-- Deletes up to p_limit of the oldest rows: those before p_by_age, and, where the logs take more than p_bytes on disk,
-- those before p_never_after, up to the first row that is younger: rows may bear earlier times than those before them. A
-- row of a time after p_latest was written while the clock was wrong. It is not older than the next row with a time that
-- can be right, so it goes with that one. The newest row stays. Answers how many were deleted, and the oldest position
-- left.
create or replace function prune_log_v2(
  p_realm integer, p_by_age bigint, p_never_after bigint, p_latest bigint, p_bytes bigint, p_limit integer
) returns table (pruned integer, oldest bigint) language plpgsql as $$
declare
  v_newest bigint := log_head_v1(p_realm);
  v_before bigint := p_by_age;
  v_first bigint := (select min(position) from log where realm_id = p_realm);
  v_right record;
  v_through bigint;
begin
  if p_never_after > p_by_age and pg_total_relation_size('log') > p_bytes then
    v_before := p_never_after;
  end if;
  select position, at into v_right from log where realm_id = p_realm and at <= p_latest order by position limit 1;
  if v_right.at < v_before then
    -- Positions have no gaps, so this is a range of as many rows. What is before v_right is as old as it is.
    v_through := least(v_right.position + p_limit - 1, v_newest - 1);
    select coalesce(min(position) - 1, v_through) into v_through from log
     where realm_id = p_realm and position between v_right.position and v_through and at between v_before and p_latest;
    select max(position) into v_through from log
     where realm_id = p_realm and position between v_right.position and v_through and at < v_before;
  end if;
  pruned := 0;
  if v_through is not null then
    delete from log where realm_id = p_realm and position <= least(v_through, v_first + p_limit - 1);
    get diagnostics pruned = row_count;
  end if;
  select coalesce(min(l.position), 0) into oldest from log l where l.realm_id = p_realm;
  return next;
end $$;
