-- Roles over time.

-- Calls: {"row": {"payload": {"user_id", "role", "ends_queues"?}, "audience"}, "rows": [...]}. Closes the user's role at the
-- position of `row` and opens the new one there; that of a deactivated user has no length. Outcome: {}.
create or replace function change_roles_v1(p_realm integer, p_calls jsonb) returns jsonb language plpgsql as $$
declare
  v_call jsonb;
  v_user integer;
  v_position bigint;
  v_outcomes jsonb := '[]';
begin
  for v_call in select value from jsonb_array_elements(p_calls) loop
    v_user := (v_call #>> '{row,payload,user_id}')::integer;
    v_position := emit_v1(p_realm, 'realm_user', true, v_call #> '{row,payload}', v_call #> '{row,audience}');
    update role_span set closed = v_position where realm_id = p_realm and user_id = v_user and closed is null;
    insert into role_span (realm_id, user_id, role, opened, closed)
    values (p_realm, v_user, (v_call #>> '{row,payload,role}')::integer, v_position, case when not found then v_position end);
    if (v_call #> '{row,payload}') ? 'ends_queues' then
      delete from event_queue where realm_id = p_realm and user_id = v_user;
    end if;
    perform emit_rows_v1(p_realm, v_call -> 'rows');
    v_outcomes := v_outcomes || '{}'::jsonb;
  end loop;
  return v_outcomes;
end $$;
