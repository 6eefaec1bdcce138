-- Registers that are taken under the log's lock, because commits have overtaken every earlier try.

-- Calls: {"user_id", "sections": {name: [function], ...}}: the stored sections to read; [function, "noun"] where one function
-- reads several. Outcome: {"head", "width",
-- "values": {name: ...}}. Writes nothing; its values are not stored with the commit's outcome.
create or replace function register_state_v2(p_realm integer, p_calls jsonb) returns jsonb language plpgsql as $$
declare
  v_call jsonb;
  v_section record;
  v_value json;
  v_values jsonb;
  v_head bigint;
  v_outcomes jsonb := '[]';
begin
  perform set_config('parley.private', 'true', true);
  for v_call in select value from jsonb_array_elements(p_calls) loop
    v_values := '{}';
    for v_section in select key, value ->> 0 as fn, value ->> 1 as noun from jsonb_each(v_call -> 'sections') loop
      execute format('select %I($1, $2' || case when v_section.noun is null then ')' else ', $3)' end, v_section.fn)
         into v_value using p_realm, (v_call ->> 'user_id')::integer, v_section.noun;
      v_values := v_values || jsonb_build_object(v_section.key, v_value);
    end loop;
    v_head := current_setting('parley.position')::bigint;
    v_outcomes := v_outcomes || jsonb_build_object('head', v_head, 'values', v_values, 'width', coalesce(
      (select width from log where realm_id = p_realm and position = v_head), 0));
  end loop;
  return v_outcomes;
end $$;
