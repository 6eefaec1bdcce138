-- Claims as claim_outbox_v2 does, for kinds whose owners take turns (outbox.ts). Each of their rows has a lane, which is named
-- `<owner>/<rest>`; one without a slash is an owner of its own. At most p_of_owner lanes of an owner and p_of_realm lanes of an
-- organization are claimed at a time, by whomever. What owners that have fewer of them wait for goes first. Rows of owners that
-- have as many as they may are passed over before anything else is asked of them, and a thousand of the others are looked at.
-- What is busy is found twice: a statement that is to pass over the rows of some owners as it reads them needs these as values
-- that were there before it, and the counts of the others it needs as a table. Both are the same, as nobody else claims meanwhile.
create or replace function claim_outbox_fairly_v1(
  p_kind text, p_now bigint, p_until bigint, p_claim text, p_lanes integer, p_rows integer, p_of_owner integer, p_of_realm integer
) returns text language plpgsql
  set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
  set plan_cache_mode = force_generic_plan as $$
declare
  v_rows json;
  v_next bigint;
  v_full_realms integer[];
  v_full_owners text[];
begin
  perform pg_advisory_xact_lock(hashtext('claim_outbox'), hashtext(p_kind));
  with busy as materialized (
    select realm_id, split_part(lane, '/', 1) as owner, count(distinct lane) as lanes from outbox
     where kind = p_kind and given_up_at is null and claim is not null and next_at > p_now group by 1, 2
  )
  select (select coalesce(array_agg(realm_id), '{}')
            from (select realm_id from busy group by realm_id having sum(lanes) >= p_of_realm) as r),
         (select coalesce(array_agg(realm_id || '/' || owner), '{}') from busy where lanes >= p_of_owner)
    into v_full_realms, v_full_owners;
  with busy as materialized (
    select realm_id, split_part(lane, '/', 1) as owner, count(distinct lane) as lanes from outbox
     where kind = p_kind and given_up_at is null and claim is not null and next_at > p_now group by 1, 2
  ), due as materialized (
    select o.id, o.realm_id, split_part(o.lane, '/', 1) as owner, o.next_at from outbox as o
     where o.kind = p_kind and o.given_up_at is null and o.next_at <= p_now
       and o.realm_id <> all (v_full_realms) and o.realm_id || '/' || split_part(o.lane, '/', 1) <> all (v_full_owners)
       and not exists (
         select from outbox as e
          where e.realm_id = o.realm_id and e.kind = o.kind and e.lane = o.lane and e.given_up_at is null
            and ((e.due_at, e.id) < (o.due_at, o.id) or (e.claim is not null and e.next_at > p_now)))
     order by o.next_at, o.id limit 1000
  ), of_owner as materialized (
    select d.id, d.realm_id, d.next_at,
           coalesce((select b.lanes from busy as b where b.realm_id = d.realm_id and b.owner = d.owner), 0)
             + row_number() over (partition by d.realm_id, d.owner order by d.next_at, d.id) as nth
      from due as d
  ), of_realm as materialized (
    select o.id, o.next_at, o.nth,
           coalesce((select sum(b.lanes) from busy as b where b.realm_id = o.realm_id), 0)
             + row_number() over (partition by o.realm_id order by o.nth, o.next_at, o.id) as nth_of_realm
      from of_owner as o where o.nth <= p_of_owner
  ), chosen as materialized (
    select id from of_realm where nth_of_realm <= p_of_realm order by nth, next_at, id limit p_lanes
  ), head as materialized (
    select o.id, o.realm_id, o.lane from chosen as c join outbox as o on o.id = c.id for update of o skip locked
  ), member as (
    select id from head
    union
    select f.id from head as h
     cross join lateral (
       -- Up to the first that must wait: nothing behind it may overtake it.
       select m.id, bool_and(m.next_at <= p_now) over (order by m.due_at, m.id) as is_free
         from (select id, due_at, next_at from outbox
                where realm_id = h.realm_id and kind = p_kind and lane = h.lane and given_up_at is null
                order by due_at, id limit p_rows) as m) as f
     where f.is_free
  ), claimed as (
    update outbox as o set claim = p_claim, next_at = p_until
      from member as m where o.id = m.id
    returning o.id, o.realm_id, o.lane, o.payload, o.added_at, o.due_at, o.attempts
  )
  select json_agg(to_json(c) order by c.due_at, c.id) into v_rows from claimed as c;
  -- The end of a claim, or the time of a row that nothing is before: past where its owner has all that they may.
  select o.next_at into v_next from outbox as o
   where o.kind = p_kind and o.given_up_at is null and o.claim is distinct from p_claim
     and ((o.claim is not null and o.next_at > p_now) or not exists (
       select from outbox as e
        where e.realm_id = o.realm_id and e.kind = o.kind and e.lane = o.lane and e.given_up_at is null
          and ((e.due_at, e.id) < (o.due_at, o.id) or (e.claim is not null and e.next_at > p_now))))
   order by o.next_at limit 1;
  return json_build_object('rows', coalesce(v_rows, '[]'::json), 'next', v_next);
end $$;
