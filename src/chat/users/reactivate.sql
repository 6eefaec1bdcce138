-- People who come back.

-- Calls: {"row": {"payload": {"user_id", "channel_ids"}, "audience"}, "rows": [...]}. Opens the user's newest role and their
-- subscriptions of these channels at the position of `row`, and deletes their event queues. Outcome: {}.
create or replace function reactivate_users_v1(p_realm integer, p_calls jsonb) returns jsonb language plpgsql as $$
declare
  v_call jsonb;
  v_user integer;
  v_position bigint;
  v_outcomes jsonb := '[]';
begin
  for v_call in select value from jsonb_array_elements(p_calls) loop
    v_user := (v_call #>> '{row,payload,user_id}')::integer;
    v_position := emit_v1(p_realm, 'realm_user', true, v_call #> '{row,payload}', v_call #> '{row,audience}');
    insert into role_span (realm_id, user_id, role, opened)
    select p_realm, v_user, s.role, v_position from role_span s
     where s.realm_id = p_realm and s.user_id = v_user order by s.opened desc limit 1;
    insert into subscription_span (realm_id, channel_id, user_id, opened)
    select p_realm, value::integer, v_user, v_position
      from jsonb_array_elements_text(v_call #> '{row,payload,channel_ids}');
    delete from event_queue where realm_id = p_realm and user_id = v_user;
    perform emit_rows_v1(p_realm, v_call -> 'rows');
    v_outcomes := v_outcomes || '{}'::jsonb;
  end loop;
  return v_outcomes;
end $$;
