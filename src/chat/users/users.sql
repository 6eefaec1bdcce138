-- People: made and deactivated.

-- Calls: {"row": {"payload", "audience"}, "rows": [...], "password_hash", "adds": [...]}: the user of the payload, subscribed
-- as the steps say (see subscriptions.sql) after the rows. Outcome: {"id": n}.
create or replace function create_users_v2(p_realm integer, p_calls jsonb) returns jsonb language plpgsql as $$
declare
  v_call jsonb;
  v_user record;
  v_step jsonb;
  v_position bigint;
  v_outcomes jsonb := '[]';
begin
  for v_call in select value from jsonb_array_elements(p_calls) loop
    select * into v_user from jsonb_to_record(v_call #> '{row,payload,user}') as u(
      id integer, email text, full_name text, role integer, is_bot boolean, bot_type integer, bot_owner_id integer,
      timezone text, joined_at bigint);
    v_position := emit_v1(p_realm, 'realm_user', true, v_call #> '{row,payload}', v_call #> '{row,audience}');
    insert into account (realm_id, id, email, full_name, is_bot, bot_type, bot_owner_id, timezone, password_hash, joined_at)
    values (p_realm, v_user.id, v_user.email, v_user.full_name, v_user.is_bot, v_user.bot_type, v_user.bot_owner_id,
            v_user.timezone, v_call ->> 'password_hash', v_user.joined_at);
    insert into role_span (realm_id, user_id, role, opened) values (p_realm, v_user.id, v_user.role, v_position);
    perform emit_rows_v1(p_realm, v_call -> 'rows');
    for v_step in select value from jsonb_array_elements(v_call -> 'adds') loop
      perform add_subscribers_v1(p_realm, v_step);
    end loop;
    v_outcomes := v_outcomes || jsonb_build_object('id', v_user.id);
  end loop;
  return v_outcomes;
end $$;

-- Calls: {"user_id", "row": {"payload", "audience"}, "rows": [...]}. Closes the user's role and subscriptions at the position
-- of `row`. Outcome: {}.
create or replace function deactivate_users_v2(p_realm integer, p_calls jsonb) returns jsonb language plpgsql as $$
declare
  v_call jsonb;
  v_position bigint;
  v_outcomes jsonb := '[]';
begin
  for v_call in select value from jsonb_array_elements(p_calls) loop
    v_position := emit_v1(p_realm, 'realm_user', true, v_call #> '{row,payload}', v_call #> '{row,audience}');
    update role_span set closed = v_position
     where realm_id = p_realm and user_id = (v_call ->> 'user_id')::integer and closed is null;
    update subscription_span set closed = v_position
     where realm_id = p_realm and user_id = (v_call ->> 'user_id')::integer and closed is null;
    perform emit_rows_v1(p_realm, v_call -> 'rows');
    v_outcomes := v_outcomes || '{}'::jsonb;
  end loop;
  return v_outcomes;
end $$;
