-- What the server itself changes of a realm and of an account. Rows as emit_rows_v1 wants them (emit-rows.sql).

-- Calls: {"settings": {...}, "rows": [...]}: the settings that become others, as they are stored. Outcome: {}.
create or replace function change_realm_v1(p_realm integer, p_calls jsonb) returns jsonb language plpgsql as $$
declare
  v_call jsonb;
  v_outcomes jsonb := '[]';
begin
  for v_call in select value from jsonb_array_elements(p_calls) loop
    perform emit_rows_v1(p_realm, v_call -> 'rows');
    update realm set settings = settings || (v_call -> 'settings') where id = p_realm;
    v_outcomes := v_outcomes || '{}'::jsonb;
  end loop;
  return v_outcomes;
end $$;

-- Calls: {"user_id", "settings"?, "must_reset_password"?, "rows": [...]}; `settings` is all that is stored of them.
-- Outcome: {}.
create or replace function change_account_v1(p_realm integer, p_calls jsonb) returns jsonb language plpgsql as $$
declare
  v_call jsonb;
  v_outcomes jsonb := '[]';
begin
  for v_call in select value from jsonb_array_elements(p_calls) loop
    perform emit_rows_v1(p_realm, v_call -> 'rows');
    update account
       set settings = coalesce(v_call -> 'settings', settings),
           must_reset_password = coalesce((v_call ->> 'must_reset_password')::boolean, must_reset_password)
     where realm_id = p_realm and id = (v_call ->> 'user_id')::integer;
    v_outcomes := v_outcomes || '{}'::jsonb;
  end loop;
  return v_outcomes;
end $$;
