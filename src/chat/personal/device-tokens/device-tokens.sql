-- Tokens of devices. They are state beside the log: nothing here writes a row.

-- Keeps tokens. A call: {"user_id", "kind", "token", "app_id", "most"}; `most`: how many tokens its user may have, of all
-- kinds. Outcome: {}, or {"refused": "full"}. One that the user has already gets the app and the time of now.
create or replace function add_device_tokens_v1(p_realm integer, p_calls jsonb) returns jsonb language plpgsql as $$
declare
  v_call record;
  v_outcomes jsonb := '[]';
begin
  for v_call in
    select c.*, sha256(convert_to(c.token, 'UTF8')) as digest
      from jsonb_to_recordset(p_calls) as c(user_id integer, kind text, token text, app_id text, most integer)
  loop
    insert into device_token (realm_id, user_id, kind, digest, token, app_id, registered_at)
    select p_realm, v_call.user_id, v_call.kind, v_call.digest, v_call.token, v_call.app_id, now_v1()
     where v_call.most > (
       select count(*) from device_token d
        where d.realm_id = p_realm and d.user_id = v_call.user_id and (d.kind, d.digest) <> (v_call.kind, v_call.digest))
        on conflict (realm_id, user_id, kind, digest)
           do update set app_id = excluded.app_id, registered_at = excluded.registered_at;
    v_outcomes := v_outcomes || case when found then '{}'::jsonb else '{"refused": "full"}' end;
  end loop;
  return v_outcomes;
end $$;

-- Forgets tokens. A call: {"user_id", "kind", "token"}. Outcome: {}, or {"refused": "gone"}.
create or replace function remove_device_tokens_v1(p_realm integer, p_calls jsonb) returns jsonb language plpgsql as $$
declare
  v_call record;
  v_outcomes jsonb := '[]';
begin
  for v_call in
    select * from jsonb_to_recordset(p_calls) as c(user_id integer, kind text, token text)
  loop
    delete from device_token
     where realm_id = p_realm and user_id = v_call.user_id and kind = v_call.kind
       and digest = sha256(convert_to(v_call.token, 'UTF8'));
    v_outcomes := v_outcomes || case when found then '{}'::jsonb else '{"refused": "gone"}' end;
  end loop;
  return v_outcomes;
end $$;

-- Forgets all devices of a user, in the commit that ends their account or their API key.
create or replace function forget_devices_v1(p_realm integer, p_user integer) returns void language sql as $$
  delete from device_token where realm_id = p_realm and user_id = p_user
$$;
