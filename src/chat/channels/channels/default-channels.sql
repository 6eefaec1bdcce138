-- Default channels and groups of them.

-- Groups of default channels as the projection holds them.
create or replace function load_default_channel_groups_v1(p_realm integer) returns json language sql stable as $$
  select coalesce(json_agg(json_build_object(
      'id', id, 'name', name, 'description', description, 'channel_ids', channel_ids) order by id), '[]')
    from default_channel_group where realm_id = p_realm
$$;

-- Rows of the type default_streams list all default channels.
create or replace function apply_default_streams_v1(p_realm integer, p_position bigint, p_payload jsonb, p_beside jsonb)
returns text language plpgsql as $$
declare
  v_ids jsonb := p_payload -> 'channel_ids';
begin
  update channel set is_default = v_ids @> to_jsonb(id)
   where realm_id = p_realm and is_default <> (v_ids @> to_jsonb(id));
  return null;
end $$;

-- Rows of the type default_stream_groups list all groups.
create or replace function apply_default_stream_groups_v1(
  p_realm integer, p_position bigint, p_payload jsonb, p_beside jsonb
) returns text language plpgsql as $$
begin
  delete from default_channel_group where realm_id = p_realm;
  insert into default_channel_group (realm_id, id, name, description, channel_ids)
  select p_realm, g.id, g.name, g.description, g.channel_ids
    from jsonb_to_recordset(p_payload -> 'groups') as g(id integer, name text, description text, channel_ids jsonb);
  return null;
end $$;
