-- New API keys. A key is derived from its version, so nothing else is stored.

-- Calls: {"row": {"payload", "audience"}}. The version of the payload is the account's from here on. Outcome: {}.
create or replace function regenerate_keys_v1(p_realm integer, p_calls jsonb) returns jsonb language plpgsql as $$
declare
  v_call jsonb;
  v_outcomes jsonb := '[]';
begin
  for v_call in select value from jsonb_array_elements(p_calls) loop
    perform emit_v1(p_realm, 'api_key', true, v_call #> '{row,payload}', v_call #> '{row,audience}');
    update account set key_version = (v_call #>> '{row,payload,key_version}')::integer
     where realm_id = p_realm and id = (v_call #>> '{row,payload,user_id}')::integer;
    v_outcomes := v_outcomes || '{}'::jsonb;
  end loop;
  return v_outcomes;
end $$;
