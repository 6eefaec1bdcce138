-- Whom guests know by conversations (acquaintance.ts). A conversation's id is the position of its first message.

-- [[other, the first conversation with them], ...] of a user, without bots.
create or replace function contacts_v1(p_realm integer, p_user integer) returns jsonb language sql stable as $$
  select coalesce(jsonb_agg(jsonb_build_array(met.other, met.since) order by met.other), '[]') from (
    select other.id as other, min(m.conversation_id) as since
      from conversation_member m
      join conversation c on c.realm_id = p_realm and c.id = m.conversation_id
     cross join lateral (select id::integer from unnest(string_to_array(c.member_key, ',')) as id) as other
      join account a on a.realm_id = p_realm and a.id = other.id and not a.is_bot
     where m.realm_id = p_realm and m.user_id = p_user and other.id <> p_user
     group by other.id) as met
$$;

-- A page of the contacts of all guests: after the account p_after, looking at so many: {"guests": [[guest, contacts], ...],
-- "last": the last account, null where there are no more}.
create or replace function load_guest_contacts_v1(p_realm integer, p_after jsonb, p_limit integer) returns json
language sql stable set enable_seqscan = off as $$
  with looked as materialized (
    select id, is_bot from account where realm_id = p_realm and id > (p_after ->> 0)::integer order by id limit p_limit)
  select json_build_object(
      'guests', (
        select coalesce(json_agg(json_build_array(g.id, contacts_v1(p_realm, g.id)) order by g.id), '[]')
          from looked g
         where not g.is_bot and 600 = (
           select s.role from role_span s where s.realm_id = p_realm and s.user_id = g.id order by s.opened desc limit 1)),
      'last', (select case when count(*) = p_limit then max(id) end from looked))
$$;

-- Calls: [{"user_id", "row": a row of guest_contacts}, ...]. Writes the rows with the contacts of these users, who have just
-- become guests.
create or replace function tell_contacts_v1(p_realm integer, p_calls jsonb) returns jsonb language plpgsql as $$
declare
  v_call jsonb;
begin
  for v_call in select value from jsonb_array_elements(p_calls) loop
    perform write_row_v1(p_realm, jsonb_set(v_call -> 'row', '{payload,contacts}',
                                            contacts_v1(p_realm, (v_call ->> 'user_id')::integer)));
  end loop;
  return '[]';
end $$;
