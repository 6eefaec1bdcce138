-- Links that are mailed to people, of which there is only the hash here; and the addresses of accounts.

-- Applies rows of the type account_link. `beside` of a new one: {"link_hash", "email", "email_folded", "milliseconds",
-- "for_user", "to_address"}: it is refused with "often" where so many of its purpose were made for the user, or so many for the
-- address, within the time that a link works. A new link for another address ends the one before: the newest wish holds. One
-- for another password does not, or whoever asks in somebody's name would void what they were mailed. One that is used
-- ({"link_hash"}) takes the others of its purpose with it, and is refused with "gone" where it does not work.
create or replace function apply_account_link_v1(p_realm integer, p_position bigint, p_payload jsonb, p_beside jsonb)
returns text language plpgsql as $$
declare
  v_user integer := (p_payload ->> 'user_id')::integer;
  v_purpose text := p_payload ->> 'purpose';
  v_since bigint := now_v1() - (p_beside ->> 'milliseconds')::bigint;
begin
  if p_payload ->> 'op' = 'make' then
    if (p_beside ->> 'for_user')::integer <= (
        select count(*) from account_link
         where realm_id = p_realm and user_id = v_user and purpose = v_purpose and made_at > v_since)
      or (p_beside ->> 'to_address')::integer <= (
        select count(*) from account_link
         where realm_id = p_realm and email_folded = p_beside ->> 'email_folded' and purpose = v_purpose
           and made_at > v_since) then
      return 'often';
    end if;
    if v_purpose = 'email' then
      perform end_account_links_v1(p_realm, v_user, v_purpose);
    end if;
    insert into account_link (realm_id, link_hash, user_id, purpose, email, email_folded, made_at, expires_at)
    values (p_realm, p_beside ->> 'link_hash', v_user, v_purpose, p_beside ->> 'email', p_beside ->> 'email_folded',
            now_v1(), now_v1() + (p_beside ->> 'milliseconds')::bigint);
    return null;
  elsif p_payload ->> 'op' = 'use' and not exists (
      select from account_link
       where realm_id = p_realm and link_hash = p_beside ->> 'link_hash' and user_id = v_user and purpose = v_purpose
         and ended_at is null and expires_at > now_v1()) then
    return 'gone';
  end if;
  perform end_account_links_v1(p_realm, v_user, v_purpose);
  return null;
end $$;

-- p_purpose: null for all of them.
create or replace function end_account_links_v1(p_realm integer, p_user integer, p_purpose text) returns void
language sql as $$
  update account_link set ended_at = now_v1()
   where realm_id = p_realm and user_id = p_user and ended_at is null and (p_purpose is null or purpose = p_purpose)
$$;

-- Applies rows of the type account_email. `beside`: {"email_folded"}.
create or replace function apply_account_email_v1(p_realm integer, p_position bigint, p_payload jsonb, p_beside jsonb)
returns text language plpgsql as $$
begin
  update account set email = p_payload ->> 'email', email_folded = p_beside ->> 'email_folded'
   where realm_id = p_realm and id = (p_payload ->> 'user_id')::integer;
  perform end_account_links_v1(p_realm, (p_payload ->> 'user_id')::integer, null);
  return null;
end $$;

-- Deletes some that were made before a time; answers how many.
create or replace function forget_account_links_v1(p_before bigint) returns integer language sql as $$
  with gone as (
    delete from account_link where (realm_id, link_hash) in (
      select realm_id, link_hash from account_link where made_at < p_before limit 1000)
    returning 1)
  select count(*)::integer from gone
$$;
