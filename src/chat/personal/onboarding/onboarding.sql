-- What users have been told of once.

create or replace function section_onboarding_v1(p_realm integer, p_user integer) returns json language sql stable as $$
  select coalesce((select json_build_object('done', done, 'version', version)
                     from onboarding where realm_id = p_realm and user_id = p_user),
                  '{"done": [], "version": 0}')
$$;

-- Applies rows of the type onboarding_steps, which have all that the user has been told of. `beside`: {"user_id", "based_on"}: the
-- version that the row was made from. Refuses with "overtaken" if there is a newer one.
create or replace function apply_onboarding_v1(p_realm integer, p_position bigint, p_payload jsonb, p_beside jsonb)
returns text language plpgsql as $$
declare
  v_user integer := (p_beside ->> 'user_id')::integer;
begin
  if coalesce((select version from onboarding where realm_id = p_realm and user_id = v_user), 0)
     <> (p_beside ->> 'based_on')::bigint then
    return 'overtaken';
  end if;
  insert into onboarding (realm_id, user_id, done, version)
  values (p_realm, v_user, p_payload -> 'done', p_position)
  on conflict (realm_id, user_id) do update set done = excluded.done, version = excluded.version;
  return null;
end $$;
