-- Invitations: who was invited to what, by whom, until when.

-- Whether an invitation can be accepted: not where its address has an account. It ends for good when its inviter is
-- deactivated: then a span of theirs closes after the row that made it, and no other opens with that.
create or replace function is_invitation_open_v1(
  p_realm integer, p_id bigint, p_inviter integer, p_email_folded text, p_expires_at bigint, p_ended_at bigint,
  p_now bigint
) returns boolean language sql stable as $$
  select p_ended_at is null and coalesce(p_expires_at > p_now, true)
    and not exists (select from account a where a.realm_id = p_realm and a.email_folded = p_email_folded)
    and not exists (
      select from role_span s
       where s.realm_id = p_realm and s.user_id = p_inviter and s.closed >= p_id / 1000 and not exists (
         select from role_span n where n.realm_id = p_realm and n.user_id = p_inviter and n.opened = s.closed))
$$;

-- An invitation as the program reads it. `is_ended`: it was revoked or accepted, or closed because nobody could accept it.
create or replace function invitation_json_v1(p_now bigint, p_realm integer, p_id bigint) returns json
language sql stable as $$
  select json_build_object(
      'id', id, 'inviter_id', inviter_id, 'email', email, 'role', role, 'channel_ids', channel_ids,
      'group_ids', group_ids, 'includes_defaults', includes_defaults, 'welcome_text', welcome_text, 'notifies', notifies,
      'seed', seed, 'invited_at', invited_at, 'expires_at', expires_at, 'is_ended', ended_at is not null,
      'is_open', is_invitation_open_v1(p_realm, id, inviter_id, email_folded, expires_at, ended_at, p_now))
    from invitation where realm_id = p_realm and id = p_id
$$;

-- The open invitations, of one inviter or (null) of all: those by mail as clients read them, one after the other, and those
-- that are links, with what they give, which the program judges before it shows them.
create or replace function list_invitations_v2(p_realm integer, p_inviter integer, p_now bigint) returns json
language sql stable as $$
  with o as materialized (
    select * from invitation
     where realm_id = p_realm and (p_inviter is null or inviter_id = p_inviter)
       and is_invitation_open_v1(realm_id, id, inviter_id, email_folded, expires_at, ended_at, p_now)
  )
  select json_build_object(
    'mailed', (
      select coalesce(string_agg(json_build_object(
          'id', id, 'invited_by_user_id', inviter_id, 'invited', invited_at / 1000, 'expiry_date', expires_at / 1000,
          'invited_as', role, 'email', email, 'notify_referrer_on_join', notifies, 'is_multiuse', false)::text, ','
          order by id), '')
        from o where email is not null),
    'links', (
      select coalesce(json_agg(json_build_object(
          'id', id, 'invited_by_user_id', inviter_id, 'invited', invited_at / 1000, 'expiry_date', expires_at / 1000,
          'invited_as', role, 'seed', seed, 'notify_referrer_on_join', notifies, 'is_multiuse', true,
          'channel_ids', channel_ids, 'group_ids', group_ids) order by id), '[]')
        from o where email is null))
$$;

-- About how many bytes the list of these is, and not less: those that nobody can accept count until a job ends them.
create or replace function size_of_invitations_v1(p_realm integer, p_inviter integer, p_now bigint) returns bigint
language sql stable as $$
  select coalesce(sum(400 + coalesce(octet_length(email), 0)), 0) from invitation
   where realm_id = p_realm and (p_inviter is null or inviter_id = p_inviter) and ended_at is null
     and coalesce(expires_at > p_now, true)
$$;

-- Of some folded addresses those to which so many invitations were mailed since a time.
create or replace function often_invited_v1(p_realm integer, p_addresses jsonb, p_since bigint, p_most integer) returns json
language sql stable as $$
  select coalesce(json_agg(a.address), '[]') from jsonb_array_elements_text(p_addresses) as a(address)
   where p_most <= (select count(*) from invitation_mail
                     where realm_id = p_realm and email_folded = a.address and at > p_since)
$$;

-- Counts mails with invitations for the limits of a day. `p_limits`: {"per_day", "share", "per_address"}: how many an
-- organization may mail, of these the one who has them mailed (null: all), and how many go to an address. `p_many`: as how many
-- they count, which is all of a request in its first commit and then 0. Answers null or, having changed nothing, which limit they are over: "daily", "share" or "often".
create or replace function count_invitations_v2(
  p_realm integer, p_inviter integer, p_many integer, p_addresses jsonb, p_limits jsonb
) returns text language plpgsql as $$
declare
  v_now bigint := now_v1();
  v_since bigint := v_now - 86400000;
  v_mailed record;
begin
  select coalesce(sum(how_many), 0) as all_of_them, coalesce(sum(how_many) filter (where inviter_id = p_inviter), 0) as own
    into v_mailed from invitations_mailed where realm_id = p_realm and at > v_since;
  if p_many + v_mailed.all_of_them > (p_limits ->> 'per_day')::integer and p_many > 0 then
    return 'daily';
  elsif p_many + v_mailed.own > (p_limits ->> 'share')::integer and p_many > 0 then
    return 'share';
  elsif often_invited_v1(p_realm, p_addresses, v_since, (p_limits ->> 'per_address')::integer)::text <> '[]' then
    return 'often';
  end if;
  delete from invitations_mailed where realm_id = p_realm and at <= v_since;
  insert into invitations_mailed (realm_id, at, how_many, inviter_id)
  select p_realm, v_now, p_many, p_inviter where p_many > 0;
  insert into invitation_mail (realm_id, email_folded, at)
  select p_realm, address, v_now from jsonb_array_elements_text(p_addresses) as a(address);
  return null;
end $$;

-- Applies rows of the type invites_changed. Refuses with "gone" where the invitation is not open (any more), with "revoked"
-- where a link was revoked, with "full" where there are too many open ones of the kind, with "busy" where a link was used too often
-- in the last hour ("per_hour"), and as count_invitations_v2 where more would be mailed than may be. `beside` has for mails
-- "limits" and, where they are mailed again, "by"; for new ones also their fields, what each has of its own in "each",
-- "is_link", "most", and "many": as how many they are counted, which is all of a request in its first commit and then 0.
create or replace function apply_invites_changed_v2(p_realm integer, p_position bigint, p_payload jsonb, p_beside jsonb)
returns text language plpgsql as $$
declare
  v_op text := p_payload ->> 'op';
  v_many integer := (p_beside ->> 'many')::integer;
  v_is_link boolean := (p_beside ->> 'is_link')::boolean;
  v_made invitation;
  v_over text;
begin
  if v_op = 'make' then
    -- Those of who was deactivated count until a job ends them: to look at each takes ten times as long.
    if v_many > 0 and v_many + (
        select count(*) from invitation
         where realm_id = p_realm and (email is null) = v_is_link and ended_at is null
           and coalesce(expires_at > now_v1(), true)) > (p_beside ->> 'most')::integer then
      return 'full';
    end if;
    if not v_is_link then
      v_over := count_invitations_v2(
        p_realm, (p_beside -> 'fields' ->> 'inviter_id')::integer, v_many,
        jsonb_path_query_array(p_beside, '$.each[*].email_folded'), p_beside -> 'limits');
      if v_over is not null then
        return v_over;
      end if;
    end if;
    insert into invitation (realm_id, id, inviter_id, email, email_folded, role, channel_ids, group_ids, includes_defaults,
                            welcome_text, notifies, seed, link_hash, invited_at, expires_at)
    select p_realm, p_position * 1000 + n - 1, v.inviter_id, e.value ->> 'email', e.value ->> 'email_folded', v.role,
           v.channel_ids, v.group_ids, v.includes_defaults, v.welcome_text, v.notifies, e.value ->> 'seed',
           e.value ->> 'link_hash', now_v1(), now_v1() + v.minutes * 60000
      from jsonb_array_elements(p_beside -> 'each') with ordinality as e(value, n)
     cross join jsonb_to_record(p_beside -> 'fields') as v(
       inviter_id integer, role integer, channel_ids jsonb, group_ids jsonb, includes_defaults boolean, welcome_text text,
       notifies boolean, minutes bigint);
    return null;
  end if;
  select * into v_made from invitation where realm_id = p_realm and id = (p_payload ->> 'invitation_id')::bigint;
  if v_made.id is null or not is_invitation_open_v1(
      p_realm, v_made.id, v_made.inviter_id, v_made.email_folded, v_made.expires_at, v_made.ended_at, now_v1()) then
    return case when v_made.email is null and v_made.ended_at is not null then 'revoked' else 'gone' end;
  end if;
  if v_op = 'resend' then
    v_over := count_invitations_v2(
      p_realm, (p_beside ->> 'by')::integer, 1, jsonb_build_array(v_made.email_folded), p_beside -> 'limits');
    if v_over is not null then
      return v_over;
    end if;
    update invitation set invited_at = now_v1(), expires_at = now_v1() + expires_at - invited_at
     where realm_id = p_realm and id = v_made.id;
  elsif v_op = 'use' then
    if (p_beside ->> 'per_hour')::integer <= (
        select count(*) from invitation_use
         where realm_id = p_realm and invitation_id = v_made.id and at > now_v1() - 3600000) then
      return 'busy';
    end if;
    insert into invitation_use (realm_id, invitation_id, at) values (p_realm, v_made.id, now_v1());
  else
    update invitation set ended_at = now_v1() where realm_id = p_realm and id = v_made.id;
  end if;
  return null;
end $$;

-- A step: the open invitations of people who leave end, and where there are some, those are told who list them. Calls:
-- {"inviter_id", "row"}, the row as write_row_v1 takes it.
create or replace function end_invitations_of_v1(p_realm integer, p_calls jsonb) returns jsonb language plpgsql as $$
declare
  v_call jsonb;
begin
  for v_call in select value from jsonb_array_elements(p_calls) loop
    update invitation set ended_at = now_v1()
     where realm_id = p_realm and inviter_id = (v_call ->> 'inviter_id')::integer and ended_at is null
       and coalesce(expires_at > now_v1(), true);
    if found then
      perform write_row_v1(p_realm, v_call -> 'row');
    end if;
  end loop;
  return '[]';
end $$;

-- A guard: an invitation can be accepted now, by "email_folded". An address that was invited by mail is proved by that mail
-- alone: nobody takes it by a link for many. Args: {"id", "email_folded"}.
create or replace function is_invited_v1(p_realm integer, p_args jsonb) returns text language sql as $$
  select case
    when not exists (
      select from invitation
       where realm_id = p_realm and id = (p_args ->> 'id')::bigint
         and is_invitation_open_v1(p_realm, id, inviter_id, email_folded, expires_at, ended_at, now_v1())) then 'gone'
    when exists (
      select from invitation
       where realm_id = p_realm and email_folded = p_args ->> 'email_folded' and id <> (p_args ->> 'id')::bigint
         and ended_at is null
         and (select email is null from invitation where realm_id = p_realm and id = (p_args ->> 'id')::bigint)
         and is_invitation_open_v1(p_realm, id, inviter_id, email_folded, expires_at, ended_at, now_v1())) then 'mailed'
  end
$$;

-- Ends those of an organization that nobody can accept any more, because their inviter was deactivated or their address has an
-- account: they would count among the open ones for ever. What expires does so by itself. What no limit asks about any more
-- is deleted.
create or replace function end_invitations_v1(p_realm integer, p_now bigint) returns void language sql as $$
  delete from invitation_mail where realm_id = p_realm and at <= p_now - 86400000;
  delete from invitation_use where realm_id = p_realm and at <= p_now - 3600000;
  update invitation set ended_at = p_now
   where realm_id = p_realm and ended_at is null and coalesce(expires_at > p_now, true)
     and not is_invitation_open_v1(realm_id, id, inviter_id, email_folded, expires_at, ended_at, p_now)
$$;

-- Deletes some that ended before a time; answers how many.
create or replace function forget_invitations_v1(p_before bigint) returns integer language sql as $$
  with gone as (
    delete from invitation where (realm_id, id) in (
      select realm_id, id from invitation where least(ended_at, expires_at) < p_before limit 1000)
    returning 1)
  select count(*)::integer from gone
$$;
