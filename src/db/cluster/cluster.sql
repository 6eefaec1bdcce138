-- Processes that serve one database together (src/db/cluster). All times are the database's.

create or replace function cluster_now_v1() returns bigint language sql volatile as $$
  select (extract(epoch from clock_timestamp()) * 1000)::bigint
$$;

-- A process joins: it names the commits' holder as the others do. `p_trust`: what tells this database's history from another
-- one's. Where that has changed all queues end, because positions may have been given a second time: whoever comes first sees
-- to it. Answers {name, ran_for}.
create or replace function join_cluster_v1(p_name text, p_trust text) returns text language plpgsql as $$
declare
  v_state server_state%rowtype;
  v_name text;
begin
  select * into v_state from server_state for update;
  v_name := coalesce(v_state.cluster, p_name);
  if v_state.trust not in ('', p_trust) then
    delete from event_queue;
    update realm set epoch = left(replace(gen_random_uuid()::text, '-', ''), 10);
  end if;
  update server_state set cluster = v_name, trust = p_trust where cluster is distinct from v_name or trust <> p_trust;
  update realm_lock set holder = v_name where holder <> v_name;
  return json_build_object('name', v_name, 'ran_for', v_state.ran_for);
end $$;

-- Said by each process once a second. `p_speaks`: the version of the tables that it knows. `p_heads`: the newest position that it
-- has of each organization. Answers {ran_for, now, organizations, processes, heads, speaks}: the time that servers have run, what
-- tells one list of organizations from another, who has said so within the last 15 seconds, the heads of those logs that have gone
-- on, the version that all know who have said so within the last minute, because whoever was stopped for less may still write and
-- read, and how many programs they are of. That minute is of the time that servers have run: where the database was away, all were.
create or replace function tick_v2(
  p_id text, p_address text, p_program text, p_speaks integer, p_secret_fingerprint text, p_heads text
) returns text language plpgsql as $$
declare
  v_now bigint;
  v_ran bigint;
  v_speaks integer;
  v_programs integer;
begin
  perform from server_state for update;
  v_now := cluster_now_v1();
  update server_state
     set ran_for = ran_for + least(greatest(v_now - coalesce(ticked_at, v_now), 0), 5000), ticked_at = v_now
  returning ran_for into v_ran;
  insert into process (id, address, program, speaks, secret_fingerprint, seen_at, seen_ran)
  values (p_id, p_address, p_program, p_speaks, p_secret_fingerprint, v_now, v_ran)
  on conflict (id) do update set seen_at = v_now, seen_ran = v_ran;
  select min(speaks), count(distinct (program, speaks)) into v_speaks, v_programs from process
   where case when seen_ran is null then seen_at >= v_now - 60000 else seen_ran >= v_ran - 60000 end;
  update server_state set speaks = v_speaks where speaks < v_speaks;
  select speaks into v_speaks from server_state;
  delete from process where seen_at < v_now - 3600000;
  return json_build_object(
    'ran_for', v_ran,
    'speaks', v_speaks,
    'programs', v_programs,
    'now', extract(epoch from clock_timestamp()) * 1000,
    'organizations', organizations_v1(),
    'processes', (select coalesce(json_agg(json_build_object(
        'id', id, 'address', address, 'program', program, 'speaks', speaks, 'secretFingerprint', secret_fingerprint) order by id), '[]')
      from process where seen_at >= v_now - 15000),
    'heads', (select coalesce(json_object_agg(h.key, h.head), '{}')
      from (select key, log_head_v1(key::integer) as head, value::bigint as known
              from json_each_text(p_heads::json)) as h where h.head > h.known));
end $$;

-- Tells one list of organizations from another: none is ever renamed.
create or replace function organizations_v1() returns text language sql stable as $$
  select count(*) || ' ' || coalesce(max(id), 0) from realm
$$;
