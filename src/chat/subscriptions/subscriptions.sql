-- Subscribing and unsubscribing. Spans open and close at the position of the row that says so.

-- One channel's new subscribers: {"show": row or null, "add": row, "peer": row}, where a row is {"payload", "audience"}. `show`
-- tells those who could not know of the channel that it is there.
create or replace function add_subscribers_v1(p_realm integer, p_step jsonb) returns void language plpgsql as $$
declare
  v_channel integer := (p_step #>> '{add,payload,channel,id}')::integer;
  v_position bigint;
begin
  if p_step -> 'show' <> 'null' then
    perform emit_v1(p_realm, 'stream', true, p_step #> '{show,payload}', p_step #> '{show,audience}');
  end if;
  v_position := emit_v1(p_realm, 'subscription', true, p_step #> '{add,payload}', p_step #> '{add,audience}');
  insert into subscription_span (realm_id, channel_id, user_id, opened)
  select p_realm, v_channel, a.user_id, v_position
    from jsonb_to_recordset(p_step #> '{add,payload,added}') as a(user_id integer);
  insert into subscription_setting (realm_id, user_id, channel_id, color, is_muted, pin_to_top, notify)
  select p_realm, a.user_id, v_channel, s.color, s.is_muted, s.pin_to_top, s.notify
    from jsonb_to_recordset(p_step #> '{add,payload,added}') as a(user_id integer, settings jsonb),
         jsonb_to_record(a.settings) as s(color text, is_muted boolean, pin_to_top boolean, notify jsonb)
      on conflict (realm_id, user_id, channel_id) do update
     set color = excluded.color, is_muted = excluded.is_muted, pin_to_top = excluded.pin_to_top, notify = excluded.notify;
  perform emit_v1(p_realm, 'subscription', true, p_step #> '{peer,payload}', p_step #> '{peer,audience}');
end $$;

-- One channel's former subscribers: {"remove": row, "hide": row or null, "peer": row}.
create or replace function remove_subscribers_v1(p_realm integer, p_step jsonb) returns void language plpgsql as $$
declare
  v_position bigint;
begin
  v_position := emit_v1(p_realm, 'subscription', true, p_step #> '{remove,payload}', p_step #> '{remove,audience}');
  update subscription_span set closed = v_position
   where realm_id = p_realm and channel_id = (p_step #>> '{remove,payload,channel_id}')::integer and closed is null
     and user_id in (select value::integer from jsonb_array_elements_text(p_step #> '{remove,payload,user_ids}'));
  if p_step -> 'hide' <> 'null' then
    perform emit_v1(p_realm, 'stream', true, p_step #> '{hide,payload}', p_step #> '{hide,audience}');
  end if;
  perform emit_v1(p_realm, 'subscription', true, p_step #> '{peer,payload}', p_step #> '{peer,audience}');
end $$;

-- Makes channels: [{"payload", "audience"}], each payload holding the whole record.
create or replace function create_channels_v1(p_realm integer, p_rows jsonb) returns void language plpgsql as $$
declare
  v_row jsonb;
begin
  for v_row in select value from jsonb_array_elements(p_rows) loop
    perform emit_v1(p_realm, 'stream', true, v_row -> 'payload', v_row -> 'audience');
    insert into channel (realm_id, id, name, description, rendered_description, creator_id, created_at, is_private,
                         is_web_public, history_shared, is_default, topics_policy, retention_days, permissions, folder_id)
    select p_realm, c.id, c.name, c.description, c.rendered_description, c.creator_id, c.created_at, c.is_private,
           c.is_web_public, c.history_shared, c.is_default, c.topics_policy, c.retention_days, c.permissions, c.folder_id
      from jsonb_to_record(v_row #> '{payload,channel}') as c(
        id integer, name text, description text, rendered_description text, creator_id integer, created_at bigint,
        is_private boolean, is_web_public boolean, history_shared boolean, is_default boolean, topics_policy text,
        retention_days integer, permissions jsonb, folder_id integer);
  end loop;
end $$;

-- Calls: {"creates"?, "adds"?, "removes"?, "rows"?, "notices"?}: channels that are made, steps, then further rows and messages.
-- Outcome: {}.
create or replace function change_subscriptions_v1(p_realm integer, p_calls jsonb) returns jsonb language plpgsql as $$
declare
  v_call jsonb;
  v_step jsonb;
  v_outcomes jsonb := '[]';
begin
  for v_call in select value from jsonb_array_elements(p_calls) loop
    perform create_channels_v1(p_realm, coalesce(v_call -> 'creates', '[]'));
    for v_step in select value from jsonb_array_elements(coalesce(v_call -> 'adds', '[]')) loop
      perform add_subscribers_v1(p_realm, v_step);
    end loop;
    for v_step in select value from jsonb_array_elements(coalesce(v_call -> 'removes', '[]')) loop
      perform remove_subscribers_v1(p_realm, v_step);
    end loop;
    perform emit_rows_v1(p_realm, coalesce(v_call -> 'rows', '[]'));
    perform send_messages_v1(p_realm, coalesce(v_call -> 'notices', '[]'));
    v_outcomes := v_outcomes || '{}'::jsonb;
  end loop;
  return v_outcomes;
end $$;

-- Calls: {"user_id", "settings": [{"channel_id", "color", "is_muted", "pin_to_top", "notify"}], "rows"}: one user's own settings
-- as they are from the rows on. Outcome: {}.
create or replace function change_subscription_settings_v1(p_realm integer, p_calls jsonb) returns jsonb language plpgsql as $$
declare
  v_call jsonb;
  v_outcomes jsonb := '[]';
begin
  for v_call in select value from jsonb_array_elements(p_calls) loop
    perform emit_rows_v1(p_realm, v_call -> 'rows');
    update subscription_setting s
       set color = c.color, is_muted = c.is_muted, pin_to_top = c.pin_to_top, notify = c.notify
      from jsonb_to_recordset(v_call -> 'settings') as c(
        channel_id integer, color text, is_muted boolean, pin_to_top boolean, notify jsonb)
     where s.realm_id = p_realm and s.user_id = (v_call ->> 'user_id')::integer and s.channel_id = c.channel_id;
    v_outcomes := v_outcomes || '{}'::jsonb;
  end loop;
  return v_outcomes;
end $$;
