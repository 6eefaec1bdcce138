-- Work to be done beside commits. Rows are added by table functions and steps, in the commit that wants them, so that
-- both are there or neither. Everything else is called by outbox-store.ts, without the log's lock.

-- Adds a row and answers its id. p_due_at: null: at once, also where the database's clock is ahead of the program's.
create or replace function add_outbox_v1(
  p_realm integer, p_kind text, p_payload jsonb, p_due_at bigint default null, p_lane text default null
) returns bigint language sql as $$
  insert into outbox (realm_id, kind, payload, lane, added_at, due_at, next_at)
  values (p_realm, p_kind, p_payload, p_lane, now_v1(), coalesce(p_due_at, now_v1()), coalesce(p_due_at, 0))
  returning id
$$;

-- The same as a step of a command. Calls: {"kind", "payload", "due_at", "lane"}. Outcome: the id.
create or replace function add_outbox_rows_v1(p_realm integer, p_calls jsonb) returns jsonb language sql as $$
  select jsonb_agg(add_outbox_v1(p_realm, c ->> 'kind', c -> 'payload', (c ->> 'due_at')::bigint, c ->> 'lane') order by n)
    from jsonb_array_elements(p_calls) with ordinality as a(c, n)
$$;

-- Takes a row back that is not wanted any more. Answers false where it is not there any more: it was done, and that
-- cannot be undone. A commit that ends a row itself and comes later finds it gone, and does nothing.
create or replace function drop_outbox_v1(p_realm integer, p_id bigint) returns boolean language sql as $$
  with dropped as (delete from outbox where realm_id = p_realm and id = p_id returning id)
  select exists (select from dropped)
$$;

-- A guard: the row is still there, and claimed by whom the command comes from. Args: {"id", "claim"}. It stays so until the
-- commit ends.
create or replace function is_outbox_claimed_v1(p_realm integer, p_args jsonb) returns text language plpgsql as $$
begin
  perform from outbox
    where realm_id = p_realm and id = (p_args ->> 'id')::bigint and claim = p_args ->> 'claim' for update;
  return case when not found then 'gone' end;
end $$;

-- A step: deletes rows in the commit that is their work. Calls: {"id"}.
create or replace function end_outbox_rows_v1(p_realm integer, p_calls jsonb) returns jsonb language plpgsql as $$
begin
  delete from outbox where realm_id = p_realm and id in (select (value ->> 'id')::bigint from jsonb_array_elements(p_calls));
  return (select jsonb_agg(null::text) from jsonb_array_elements(p_calls));
end $$;

-- Claims rows of a kind that are due, the earliest first: of at most p_lanes lanes (a row without one counts as one), up to
-- p_rows of each. A lane of which a row is claimed is nobody else's until that claim ends, also where a row was added since that
-- is due earlier. Claimers of a kind come one after the other, so that each sees what the others have claimed. Answers
-- {"rows": [...] in the order of due_at, "next": when the next row can be claimed, null where there is none}. With 10,000
-- due rows in one lane it looks at all of them: at the first row of the lane for each, which only nested loops do.
create or replace function claim_outbox_v2(
  p_kind text, p_now bigint, p_until bigint, p_claim text, p_lanes integer, p_rows integer
) returns text language plpgsql
  set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
  set plan_cache_mode = force_generic_plan as $$
declare
  v_rows json;
  v_next bigint;
begin
  perform pg_advisory_xact_lock(hashtext('claim_outbox'), hashtext(p_kind));
  with head as materialized (
    select o.id, o.realm_id, o.lane from outbox as o
     where o.kind = p_kind and o.given_up_at is null and o.next_at <= p_now
       and not exists (
         select from outbox as e
          where e.realm_id = o.realm_id and e.kind = o.kind and e.lane = o.lane and e.given_up_at is null
            and ((e.due_at, e.id) < (o.due_at, o.id) or (e.claim is not null and e.next_at > p_now)))
     order by o.next_at, o.id limit p_lanes for update of o skip locked
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
  -- The end of a claim, or the time of a row that nothing is before.
  select o.next_at into v_next from outbox as o
   where o.kind = p_kind and o.given_up_at is null and o.claim is distinct from p_claim
     and ((o.claim is not null and o.next_at > p_now) or not exists (
       select from outbox as e
        where e.realm_id = o.realm_id and e.kind = o.kind and e.lane = o.lane and e.given_up_at is null
          and ((e.due_at, e.id) < (o.due_at, o.id) or (e.claim is not null and e.next_at > p_now))))
   order by o.next_at limit 1;
  return json_build_object('rows', coalesce(v_rows, '[]'::json), 'next', v_next);
end $$;

-- The same where at most so many lanes are claimed at a time, by whomever.
create or replace function claim_outbox_overall_v1(
  p_kind text, p_now bigint, p_until bigint, p_claim text, p_lanes integer, p_rows integer, p_most integer
) returns text language plpgsql as $$
declare
  v_busy integer;
begin
  perform pg_advisory_xact_lock(hashtext('claim_outbox'), hashtext(p_kind));
  select count(distinct coalesce(realm_id || '/' || lane, id::text)) into v_busy from outbox
   where kind = p_kind and given_up_at is null and claim is not null and next_at > p_now;
  return claim_outbox_v2(p_kind, p_now, p_until, p_claim, greatest(0, least(p_lanes, p_most - v_busy)), p_rows);
end $$;

-- Where several processes serve the database each claim begins with the name of its process. Those of processes that have not
-- said for 15 seconds that they live are free, as if nothing had been claimed; attempts that began count.
create or replace function free_outbox_claims_v1(p_now bigint) returns void language sql as $$
  update outbox as o set claim = null, next_at = least(o.due_at, p_now)
   where o.claim like '%:%' and o.given_up_at is null and o.next_at > p_now
     and not exists (
       select from process as p where p.id = split_part(o.claim, ':', 1) and p.seen_at >= cluster_now_v1() - 15000)
$$;
