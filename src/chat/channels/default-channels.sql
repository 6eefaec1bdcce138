-- Default channels and groups of them. What the tables hold follows from the rows, whoever emits them (emit_rows_v1).

-- All default channels, as a row of the type default_streams lists them.
create or replace function set_default_channels_v1(p_realm integer, p_ids jsonb) returns void language plpgsql as $$
begin
  update channel set is_default = p_ids @> to_jsonb(id)
   where realm_id = p_realm and is_default <> (p_ids @> to_jsonb(id));
end $$;

-- All groups, as a row of the type default_stream_groups lists them.
create or replace function set_default_groups_v1(p_realm integer, p_groups jsonb) returns void language plpgsql as $$
begin
  delete from default_channel_group where realm_id = p_realm;
  insert into default_channel_group (realm_id, id, name, description, channel_ids)
  select p_realm, g.id, g.name, g.description, g.channel_ids
    from jsonb_to_recordset(p_groups) as g(id integer, name text, description text, channel_ids jsonb);
end $$;

-- Calls: {"rows": [...]}, as emit_rows_v1 wants them. Outcome: {}.
create or replace function change_defaults_v1(p_realm integer, p_calls jsonb) returns jsonb language plpgsql as $$
declare
  v_call jsonb;
  v_outcomes jsonb := '[]';
begin
  for v_call in select value from jsonb_array_elements(p_calls) loop
    perform emit_rows_v1(p_realm, v_call -> 'rows');
    v_outcomes := v_outcomes || '{}'::jsonb;
  end loop;
  return v_outcomes;
end $$;
