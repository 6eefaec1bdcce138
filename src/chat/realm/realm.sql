-- Everything the projection of a realm holds, as one statement sees it, with the head of the log it saw.
create or replace function load_realm_v3(p_realm integer) returns text language sql stable as $$
  select json_build_object(
    'host', r.host,
    'epoch', r.epoch,
    'created_at', r.created_at,
    'deactivated', coalesce((r.settings ->> 'deactivated')::boolean, false),
    'settings', r.settings,
    'head', log_head_v1(p_realm),
    'users', (select coalesce(json_agg(json_build_object(
        'id', id, 'email', email, 'full_name', full_name, 'role', (
          select role from role_span s where s.realm_id = p_realm and s.user_id = a.id order by opened desc limit 1),
        'is_bot', is_bot, 'bot_type', bot_type, 'bot_owner_id', bot_owner_id, 'timezone', timezone,
        'avatar_version', avatar_version, 'key_version', key_version, 'joined_at', joined_at,
        'must_reset_password', must_reset_password, 'settings', settings) order by id), '[]')
      from account a where realm_id = p_realm),
    'roles', (select coalesce(json_agg(json_build_array(user_id, role, opened, closed) order by user_id, opened), '[]')
      from role_span where realm_id = p_realm),
    'groups', (select coalesce(json_agg(json_build_object(
        'id', id, 'name', name, 'description', description, 'is_system', is_system, 'deactivated', deactivated,
        'creator_id', creator_id, 'created_at', created_at, 'permissions', permissions, 'members', (
          select coalesce(json_agg(user_id order by user_id), '[]') from group_member_span s
           where s.realm_id = p_realm and s.group_id = g.id and s.closed is null), 'subgroups', (
          select coalesce(json_agg(subgroup_id order by subgroup_id), '[]') from subgroup_span s
           where s.realm_id = p_realm and s.group_id = g.id and s.closed is null)) order by id), '[]')
      from user_group g where realm_id = p_realm),
    'folders', (select coalesce(json_agg(json_build_object(
        'id', id, 'name', name, 'description', description, 'rendered_description', rendered_description,
        'order', place, 'creator_id', creator_id, 'created_at', created_at, 'is_archived', is_archived) order by id), '[]')
      from channel_folder where realm_id = p_realm),
    'default_groups', (select coalesce(json_agg(json_build_object(
        'id', id, 'name', name, 'description', description, 'channel_ids', channel_ids) order by id), '[]')
      from default_channel_group where realm_id = p_realm),
    'channels', (select coalesce(json_agg(json_build_object(
        'id', id, 'name', name, 'description', description, 'rendered_description', rendered_description,
        'creator_id', creator_id, 'created_at', created_at, 'is_private', is_private, 'is_web_public', is_web_public,
        'history_shared', history_shared, 'is_archived', is_archived, 'is_default', is_default,
        'topics_policy', topics_policy, 'retention_days', retention_days, 'permissions', permissions,
        'first_message_id', first_message_id, 'folder_id', folder_id, 'is_recently_active', is_recently_active,
        'weekly_traffic', weekly_traffic) order by id), '[]')
      from channel where realm_id = p_realm),
    'subscriptions', (select coalesce(json_agg(json_build_array(channel_id, user_id, opened, closed)
                                               order by channel_id, user_id, opened), '[]')
      from subscription_span where realm_id = p_realm),
    'subscription_settings', (select coalesce(json_agg(json_build_array(user_id, channel_id, color, is_muted, pin_to_top, notify)
                                                       order by user_id, channel_id), '[]')
      from subscription_setting where realm_id = p_realm)
  )::text from realm r where r.id = p_realm
$$;

-- A new organization: its lock, held by the server that makes it, and its system groups, each a direct subgroup of
-- the next wider one. This is the realm's state before its first row. Idempotent by id.
create or replace function create_realm_v1(
  p_realm integer, p_host text, p_epoch text, p_holder text, p_settings text, p_groups text, p_time bigint
) returns integer language plpgsql as $$
declare
  v_created bigint := coalesce(p_time, (extract(epoch from clock_timestamp()) * 1000)::bigint);
begin
  insert into realm (id, host, epoch, created_at, settings)
  values (p_realm, p_host, p_epoch, v_created, p_settings::jsonb);
  insert into realm_lock (realm_id, holder) values (p_realm, p_holder);
  insert into user_group (realm_id, id, name, description, is_system)
  select p_realm, g.id, g.name, g.description, true
    from jsonb_to_recordset(p_groups::jsonb) as g(id integer, name text, description text, subgroup integer);
  insert into subgroup_span (realm_id, group_id, subgroup_id, opened)
  select p_realm, g.id, g.subgroup, 0
    from jsonb_to_recordset(p_groups::jsonb) as g(id integer, name text, description text, subgroup integer)
   where g.subgroup is not null;
  return p_realm;
end $$;
