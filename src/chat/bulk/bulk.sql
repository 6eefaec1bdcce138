-- Chunks of commands over many items. Each is a call of a capability's own function, in one transaction with what is
-- left to do after it.

-- Calls: {"fn": name or null, "args", "work": {"id", "from", "next", "kind", "args"}}. `from`: how many items were done
-- before, null for the first chunk, which stores `kind` and `args`; `next`: how many are after it, null where all are.
-- Outcome: that of `fn`, {} without one. What `fn` refuses leaves nothing behind; {"refused": "done"} where another has
-- done this chunk.
create or replace function bulk_v1(p_realm integer, p_calls jsonb) returns jsonb language plpgsql as $$
declare
  v_call jsonb;
  v_work jsonb;
  v_answers jsonb;
  v_outcomes jsonb := '[]';
begin
  for v_call in select value from jsonb_array_elements(p_calls) loop
    v_work := v_call -> 'work';
    if v_work ->> 'from' is not null then
      perform from unfinished_work
        where realm_id = p_realm and id = v_work ->> 'id' and done = (v_work ->> 'from')::integer;
      if not found then
        v_outcomes := v_outcomes || '{"refused": "done"}'::jsonb;
        continue;
      end if;
    end if;
    v_answers := '[{}]';
    if v_call ->> 'fn' is not null then
      execute format('select %I($1, $2)', v_call ->> 'fn') into v_answers
        using p_realm, jsonb_build_array(v_call -> 'args');
    end if;
    v_outcomes := v_outcomes || v_answers;
    if v_answers -> 0 ? 'refused' then
      continue;
    elsif v_work ->> 'next' is null then
      delete from unfinished_work where realm_id = p_realm and id = v_work ->> 'id';
    elsif v_work ->> 'from' is null then
      insert into unfinished_work (realm_id, id, kind, args, done, at)
      values (p_realm, v_work ->> 'id', v_work ->> 'kind', v_work -> 'args', (v_work ->> 'next')::integer, now_v1());
    else
      update unfinished_work set done = (v_work ->> 'next')::integer where realm_id = p_realm and id = v_work ->> 'id';
    end if;
  end loop;
  return v_outcomes;
end $$;
