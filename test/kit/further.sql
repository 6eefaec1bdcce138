-- Writes of tests only: rows of any width, calls that take a while, calls that PostgreSQL refuses.

-- Calls: {"type", "rules", "payload", "audience", "width"}, each with an optional "seconds" to sleep before it, an optional
-- "gate", an advisory lock to wait for before it, and an optional "refuse", the message it fails with after its row was
-- written. Outcome: {"position": n}.
create or replace function test_emit_v1(p_realm integer, p_calls jsonb) returns jsonb language plpgsql as $$
declare
  v_call jsonb;
  v_position bigint;
  v_outcomes jsonb := '[]';
begin
  for v_call in select value from jsonb_array_elements(p_calls) loop
    perform pg_sleep(coalesce((v_call ->> 'seconds')::double precision, 0));
    if v_call ? 'gate' then
      perform pg_advisory_xact_lock((v_call ->> 'gate')::bigint);
    end if;
    v_position := emit_v1(p_realm, v_call ->> 'type', (v_call ->> 'rules')::boolean, v_call -> 'payload',
                          v_call -> 'audience', (v_call ->> 'width')::integer);
    if v_call ? 'refuse' then
      raise exception '%', v_call ->> 'refuse';
    end if;
    v_outcomes := v_outcomes || jsonb_build_object('position', v_position);
  end loop;
  return v_outcomes;
end $$;
