-- Accounts, their roles over time, and their sign-in.

-- Applies rows of the type realm_user. `beside` for a new user: {"password_hash", "email_folded"}. A reactivated user
-- gets their last role, and is subscribed to the payload's channels again, but has to register their devices anew. A role that is given to a deactivated user
-- is a span of length zero.
create or replace function apply_realm_user_v3(p_realm integer, p_position bigint, p_payload jsonb, p_beside jsonb)
returns text language plpgsql as $$
declare
  v_user integer := coalesce(p_payload #> '{user,id}', p_payload -> 'user_id')::integer;
begin
  if p_payload ->> 'op' = 'add' then
    insert into account (realm_id, id, email, full_name, is_bot, bot_type, bot_owner_id, timezone, password_hash, joined_at,
                         email_folded, avatar, settings)
    select p_realm, u.id, u.email, u.full_name, u.is_bot, u.bot_type, u.bot_owner_id, u.timezone,
           p_beside ->> 'password_hash', u.joined_at, p_beside ->> 'email_folded', u.avatar, coalesce(u.settings, '{}')
      from jsonb_to_record(p_payload -> 'user') as u(
        id integer, email text, full_name text, is_bot boolean, bot_type integer, bot_owner_id integer, timezone text,
        joined_at bigint, avatar text, settings jsonb);
    insert into role_span (realm_id, user_id, role, opened)
    values (p_realm, v_user, (p_payload #>> '{user,role}')::integer, p_position);
  elsif p_payload ? 'role' then
    update role_span set closed = p_position where realm_id = p_realm and user_id = v_user and closed is null;
    insert into role_span (realm_id, user_id, role, opened, closed)
    values (p_realm, v_user, (p_payload ->> 'role')::integer, p_position, case when not found then p_position end);
  elsif p_payload -> 'is_active' = 'true' then
    insert into role_span (realm_id, user_id, role, opened)
    select p_realm, v_user, s.role, p_position from role_span s
     where s.realm_id = p_realm and s.user_id = v_user order by s.opened desc limit 1;
    insert into subscription_span (realm_id, channel_id, user_id, opened, reads_from)
    select p_realm, value::integer, v_user, p_position, p_position from jsonb_array_elements_text(p_payload -> 'channel_ids');
  elsif p_payload -> 'is_active' = 'false' then
    update role_span set closed = p_position where realm_id = p_realm and user_id = v_user and closed is null;
    update subscription_span set closed = p_position where realm_id = p_realm and user_id = v_user and closed is null;
    perform forget_devices_v1(p_realm, v_user);
  elsif p_payload ? 'bot_owner_id' then
    update account set bot_owner_id = (p_payload ->> 'bot_owner_id')::integer where realm_id = p_realm and id = v_user;
  elsif p_payload ? 'full_name' then
    update account set full_name = p_payload ->> 'full_name' where realm_id = p_realm and id = v_user;
  elsif p_payload ? 'custom_profile_field' then
    perform set_profile_value_v1(p_realm, v_user, p_payload -> 'custom_profile_field');
  else
    raise exception 'no table follows this row about a user: %', p_payload;
  end if;
  return null;
end $$;

-- Applies rows of the type user_settings: one setting changed by its user. The time zone has a column of its own. Whose drafts
-- are not kept here any more has none here.
create or replace function apply_user_settings_v2(p_realm integer, p_position bigint, p_payload jsonb, p_beside jsonb)
returns text language plpgsql as $$
begin
  update account
     set settings = case p_payload ->> 'property' when 'timezone' then settings
           else settings || jsonb_build_object(p_payload ->> 'property', p_payload -> 'value') end,
         timezone = case p_payload ->> 'property' when 'timezone' then p_payload ->> 'value' else timezone end
   where realm_id = p_realm and id = (p_payload ->> 'user_id')::integer;
  if p_payload ->> 'property' = 'enable_drafts_synchronization' and p_payload -> 'value' = 'false' then
    delete from own_item where realm_id = p_realm and user_id = (p_payload ->> 'user_id')::integer and noun = 'draft';
  end if;
  return null;
end $$;

-- Applies rows of the type realm_user_settings_defaults: one of the settings with which new accounts begin. They are stored
-- with the settings of the realm.
create or replace function apply_realm_user_settings_defaults_v1(
  p_realm integer, p_position bigint, p_payload jsonb, p_beside jsonb
) returns text language plpgsql as $$
begin
  update realm
     set settings = settings || jsonb_build_object('user_defaults', coalesce(settings -> 'user_defaults', '{}')
           || jsonb_build_object(p_payload ->> 'property', p_payload -> 'value'))
   where id = p_realm;
  return null;
end $$;

-- Applies rows of the type account_state: whether the password must be reset before the user can sign in with it. `beside`:
-- {"password_hash"} where the row comes with another password, else nothing. With that, all links end that were mailed to them.
create or replace function apply_account_state_v3(p_realm integer, p_position bigint, p_payload jsonb, p_beside jsonb)
returns text language plpgsql as $$
begin
  update account
     set must_reset_password = (p_payload ->> 'must_reset')::boolean,
         password_hash = coalesce(p_beside ->> 'password_hash', password_hash)
   where realm_id = p_realm and id = (p_payload ->> 'user_id')::integer;
  if p_beside ->> 'password_hash' is not null then
    perform end_account_links_v1(p_realm, (p_payload ->> 'user_id')::integer, null);
  end if;
  return null;
end $$;

-- A guard: the password is still the one that was checked. Args: {"user_id", "hash"}.
create or replace function is_password_v1(p_realm integer, p_args jsonb) returns text language sql as $$
  select case when not exists (
    select from account
     where realm_id = p_realm and id = (p_args ->> 'user_id')::integer and password_hash = p_args ->> 'hash') then 'stale' end
$$;

-- The owners of bots whose role is above theirs. Roles are weaker the higher their number.
create or replace function owners_below_bots_v1() returns table (realm_id integer, owner_id integer)
language sql stable as $$
  select distinct b.realm_id, b.bot_owner_id
    from account b
   cross join lateral (
     select role from role_span s where s.realm_id = b.realm_id and s.user_id = b.id order by opened desc limit 1) as bot
   cross join lateral (
     select role from role_span s where s.realm_id = b.realm_id and s.user_id = b.bot_owner_id
      order by opened desc limit 1) as owner
   where b.is_bot and b.bot_owner_id is not null and bot.role < owner.role
$$;
