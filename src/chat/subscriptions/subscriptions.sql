-- Subscriptions. Spans open and close at the position of the row that says so.

-- Subscriptions over time as the projection holds them: [channel, user, opened, closed].
create or replace function load_subscriptions_v1(p_realm integer) returns json language sql stable as $$
  select coalesce(json_agg(json_build_array(channel_id, user_id, opened, closed) order by channel_id, user_id, opened), '[]')
    from subscription_span where realm_id = p_realm
$$;

-- Users' own settings for channels: [user, channel, color, is_muted, pin_to_top, notify].
create or replace function load_subscription_settings_v1(p_realm integer) returns json language sql stable as $$
  select coalesce(json_agg(json_build_array(user_id, channel_id, color, is_muted, pin_to_top, notify)
                           order by user_id, channel_id), '[]')
    from subscription_setting where realm_id = p_realm
$$;

-- Rows of the type subscription.
create or replace function apply_subscription_v1(p_realm integer, p_position bigint, p_payload jsonb, p_beside jsonb)
returns text language plpgsql as $$
declare
  v_channel integer := coalesce(p_payload #> '{channel,id}', p_payload -> 'channel_id')::integer;
  v_property text := p_payload ->> 'property';
  v_value jsonb := p_payload -> 'value';
begin
  case p_payload ->> 'op'
  when 'add' then
    insert into subscription_span (realm_id, channel_id, user_id, opened)
    select p_realm, v_channel, a.user_id, p_position
      from jsonb_to_recordset(p_payload -> 'added') as a(user_id integer);
    insert into subscription_setting (realm_id, user_id, channel_id, color, is_muted, pin_to_top, notify)
    select p_realm, a.user_id, v_channel, s.color, s.is_muted, s.pin_to_top, s.notify
      from jsonb_to_recordset(p_payload -> 'added') as a(user_id integer, settings jsonb),
           jsonb_to_record(a.settings) as s(color text, is_muted boolean, pin_to_top boolean, notify jsonb)
        on conflict (realm_id, user_id, channel_id) do update
       set color = excluded.color, is_muted = excluded.is_muted, pin_to_top = excluded.pin_to_top, notify = excluded.notify;
  when 'remove' then
    update subscription_span set closed = p_position
     where realm_id = p_realm and channel_id = v_channel and closed is null
       and user_id in (select value::integer from jsonb_array_elements_text(p_payload -> 'user_ids'));
  when 'update' then
    update subscription_setting
       set color = case when v_property = 'color' then v_value #>> '{}' else color end,
           is_muted = case v_property when 'is_muted' then v_value::boolean else is_muted end,
           pin_to_top = case v_property when 'pin_to_top' then v_value::boolean else pin_to_top end,
           notify = case when v_property in ('color', 'is_muted', 'pin_to_top') then notify
                         else notify || jsonb_build_object(v_property, v_value) end
     where realm_id = p_realm and user_id = (p_payload ->> 'user_id')::integer and channel_id = v_channel;
  end case;
  return null;
end $$;
