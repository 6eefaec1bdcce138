-- Commands as lists of steps. Every change is a row of the log: the table function that the row's kind names applies
-- the row to its table, so that nothing changes without its event.

-- Applies a row, {"payload", "table", "beside", ...}, to its table, just before it is written at the next position
-- (parley.position, set by commit_calls_v2, is the newest). A table function takes (realm, position, payload, beside).
-- It answers null, or, if it refuses and has changed nothing, the word that names the reason.
create or replace function follow_row_v1(p_realm integer, p_row jsonb) returns text language plpgsql as $$
declare
  v_refusal text;
begin
  if p_row ->> 'table' is not null then
    execute format('select %I($1, $2, $3, $4)', p_row ->> 'table') into v_refusal
      using p_realm, current_setting('parley.position')::bigint + 1, p_row -> 'payload', p_row -> 'beside';
  end if;
  return v_refusal;
end $$;

-- Appends a row that is applied to its table already. Answers its position.
create or replace function append_row_v1(p_realm integer, p_row jsonb) returns bigint language sql as $$
  select emit_v1(p_realm, p_row ->> 'type', (p_row ->> 'changesRules')::boolean, p_row -> 'payload', p_row -> 'audience',
                 (p_row ->> 'width')::integer)
$$;

-- Appends rows that are applied to no table and change no rules, in this order, as a set.
create or replace function append_rows_v1(p_realm integer, p_rows jsonb) returns void language plpgsql as $$
declare
  v_before bigint := current_setting('parley.position')::bigint;
begin
  insert into log (realm_id, position, type, payload, audience, width, at)
  select p_realm, v_before + r.place, r.value ->> 'type', r.value -> 'payload', r.value -> 'audience',
         (r.value ->> 'width')::integer, now_v1()
    from jsonb_array_elements(p_rows) with ordinality as r(value, place);
  perform set_config('parley.position', (v_before + jsonb_array_length(p_rows))::text, true);
end $$;

-- The same as a step of a command, for many rows that only inform. Calls: the rows.
create or replace function tell_rows_v1(p_realm integer, p_calls jsonb) returns jsonb language plpgsql as $$
begin
  perform append_rows_v1(p_realm, p_calls);
  return '[]';
end $$;

-- Applies and appends a row, for SQL functions that write rows in addition to their own work. They have checked already
-- that it cannot be refused: a refusal here is a bug and undoes the commit.
create or replace function write_row_v1(p_realm integer, p_row jsonb) returns bigint language plpgsql as $$
declare
  v_refusal text := follow_row_v1(p_realm, p_row);
begin
  if v_refusal is not null then
    raise exception 'a row of the type % was refused: %', p_row ->> 'type', v_refusal;
  end if;
  return append_row_v1(p_realm, p_row);
end $$;

-- Calls: {"steps": [...], "guard"?, "work"?}, see step.ts. Outcome: {"positions": [...], "outcomes"?: [...]}: the positions
-- of the steps that are rows, and what the calls with "answers" answered, each in order; {"refused": word} if the guard or the table function of the first step refuses, or, with the word "done", if
-- another process has done this chunk of a bulk command. A refused call has changed nothing. A table function may
-- refuse only as the first step of the first chunk.
create or replace function run_steps_v1(p_realm integer, p_calls jsonb) returns jsonb language plpgsql as $$
declare
  v_call jsonb;
  v_outcomes jsonb := '[]';
begin
  for v_call in select value from jsonb_array_elements(p_calls) loop
    v_outcomes := v_outcomes || jsonb_build_array(run_command_v1(p_realm, v_call));
  end loop;
  return v_outcomes;
end $$;

create or replace function run_command_v1(p_realm integer, p_call jsonb) returns jsonb language plpgsql as $$
declare
  v_step jsonb;
  v_refusal text;
  v_outcome jsonb;
  v_outcomes jsonb := '[]';
  v_is_first boolean := p_call #>> '{work,from}' is null;
  v_positions bigint[] := '{}';
begin
  if p_call #>> '{work,from}' is not null and not is_next_chunk_v1(p_realm, p_call -> 'work') then
    return '{"refused": "done"}';
  end if;
  if p_call ? 'guard' then
    execute format('select %I($1, $2)', p_call #>> '{guard,fn}') into v_refusal using p_realm, p_call #> '{guard,args}';
    if v_refusal is not null then
      return jsonb_build_object('refused', v_refusal);
    end if;
  end if;
  for v_step in select value from jsonb_array_elements(p_call -> 'steps') loop
    if v_step ? 'fn' then
      execute format('select %I($1, $2)', v_step ->> 'fn') into v_outcome using p_realm, v_step -> 'calls';
      if (v_step -> 'answers')::boolean then
        v_outcomes := v_outcomes || v_outcome;
      end if;
    elsif v_is_first then
      v_refusal := follow_row_v1(p_realm, v_step);
      if v_refusal is not null then
        return jsonb_build_object('refused', v_refusal);
      end if;
      v_positions := v_positions || append_row_v1(p_realm, v_step);
    else
      v_positions := v_positions || write_row_v1(p_realm, v_step);
    end if;
    v_is_first := false;
  end loop;
  if p_call ? 'work' then
    perform mark_work_v1(p_realm, p_call -> 'work');
  end if;
  return jsonb_build_object('positions', to_jsonb(v_positions))
    || case when v_outcomes = '[]' then '{}' else jsonb_build_object('outcomes', v_outcomes) end;
end $$;

-- Whether the next chunk of a bulk command is the one that begins with item "from".
create or replace function is_next_chunk_v1(p_realm integer, p_work jsonb) returns boolean language plpgsql as $$
begin
  return exists (select from unfinished_work
    where realm_id = p_realm and id = p_work ->> 'id' and done = (p_work ->> 'from')::integer);
end $$;

-- Stores how many items of a bulk command are done: the first chunk inserts its row, the last one deletes it.
create or replace function mark_work_v1(p_realm integer, p_work jsonb) returns void language plpgsql as $$
begin
  if p_work ->> 'next' is null then
    delete from unfinished_work where realm_id = p_realm and id = p_work ->> 'id';
  elsif p_work ->> 'from' is null then
    insert into unfinished_work (realm_id, id, kind, args, done, at, claimed_by, claimed_until)
    values (p_realm, p_work ->> 'id', p_work ->> 'kind', p_work -> 'args', (p_work ->> 'next')::integer, now_v1(),
            p_work ->> 'claimed_by', coalesce((p_work ->> 'claimed_until')::bigint, 0));
  else
    update unfinished_work set done = (p_work ->> 'next')::integer where realm_id = p_realm and id = p_work ->> 'id';
  end if;
end $$;
