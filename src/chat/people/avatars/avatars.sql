-- The pictures of people.

-- Applies rows of the type user_avatar: another picture of a user, or none any more.
create or replace function apply_user_avatar_v1(p_realm integer, p_position bigint, p_payload jsonb, p_beside jsonb)
returns text language plpgsql as $$
begin
  update account
     set avatar = p_payload ->> 'avatar', avatar_version = (p_payload ->> 'avatar_version')::integer
   where realm_id = p_realm and id = (p_payload ->> 'user_id')::integer;
  return null;
end $$;
