-- User groups, their members and subgroups over time.

-- The groups with their present members, as the projection holds them.
create or replace function load_user_groups_v1(p_realm integer) returns json language sql stable as $$
  select coalesce(json_agg(json_build_object(
      'id', id, 'name', name, 'description', description, 'is_system', is_system, 'deactivated', deactivated,
      'creator_id', creator_id, 'created_at', created_at, 'permissions', permissions, 'members', (
        select coalesce(json_agg(user_id order by user_id), '[]') from group_member_span s
         where s.realm_id = p_realm and s.group_id = g.id and s.closed is null), 'subgroups', (
        select coalesce(json_agg(subgroup_id order by subgroup_id), '[]') from subgroup_span s
         where s.realm_id = p_realm and s.group_id = g.id and s.closed is null)) order by id), '[]')
    from user_group g where realm_id = p_realm
$$;

-- Users join a group, or leave it, at a position.
create or replace function open_members_v1(p_realm integer, p_group integer, p_position bigint, p_users jsonb)
returns void language sql as $$
  insert into group_member_span (realm_id, group_id, user_id, opened)
  select p_realm, p_group, value::integer, p_position from jsonb_array_elements_text(p_users)
$$;
create or replace function close_members_v1(p_realm integer, p_group integer, p_position bigint, p_users jsonb)
returns void language sql as $$
  update group_member_span set closed = p_position
   where realm_id = p_realm and group_id = p_group and closed is null
     and user_id in (select value::integer from jsonb_array_elements_text(p_users))
$$;

-- Groups become subgroups of a group, or cease to be, at a position.
create or replace function open_subgroups_v1(p_realm integer, p_group integer, p_position bigint, p_subgroups jsonb)
returns void language sql as $$
  insert into subgroup_span (realm_id, group_id, subgroup_id, opened)
  select p_realm, p_group, value::integer, p_position from jsonb_array_elements_text(p_subgroups)
$$;
create or replace function close_subgroups_v1(p_realm integer, p_group integer, p_position bigint, p_subgroups jsonb)
returns void language sql as $$
  update subgroup_span set closed = p_position
   where realm_id = p_realm and group_id = p_group and closed is null
     and subgroup_id in (select value::integer from jsonb_array_elements_text(p_subgroups))
$$;

-- Rows of the type user_group.
create or replace function apply_user_group_v2(p_realm integer, p_position bigint, p_payload jsonb, p_beside jsonb)
returns text language plpgsql as $$
declare
  v_record jsonb := p_payload -> 'group';
  v_group integer := coalesce(v_record ->> 'id', p_payload ->> 'group_id')::integer;
begin
  case p_payload ->> 'op'
  when 'add' then
    insert into user_group (realm_id, id, name, description, creator_id, created_at, permissions)
    select p_realm, g.id, g.name, g.description, g.creator_id, g.created_at, g.permissions
      from jsonb_to_record(v_record) as g(
        id integer, name text, description text, creator_id integer, created_at bigint, permissions jsonb);
    perform open_members_v1(p_realm, v_group, p_position, v_record -> 'members');
    perform open_subgroups_v1(p_realm, v_group, p_position, v_record -> 'subgroups');
  when 'update' then
    update user_group
       set name = coalesce(p_payload #>> '{set,name}', name),
           description = coalesce(p_payload #>> '{set,description}', description),
           permissions = permissions || coalesce(p_payload #> '{set,permissions}', '{}')
     where realm_id = p_realm and id = v_group;
  when 'deactivate', 'reactivate' then
    update user_group set deactivated = (p_payload ->> 'op') = 'deactivate' where realm_id = p_realm and id = v_group;
  when 'add_members' then
    perform open_members_v1(p_realm, v_group, p_position, p_payload -> 'user_ids');
  when 'remove_members' then
    perform close_members_v1(p_realm, v_group, p_position, p_payload -> 'user_ids');
  when 'add_subgroups' then
    perform open_subgroups_v1(p_realm, v_group, p_position, p_payload -> 'subgroup_ids');
  when 'remove_subgroups' then
    perform close_subgroups_v1(p_realm, v_group, p_position, p_payload -> 'subgroup_ids');
  end case;
  return null;
end $$;
