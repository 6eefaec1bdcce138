-- Subscriptions. A span opens and closes at the position of the row that makes or ends the subscription.

-- Lets new accounts hold messages from before they were made: the newest `most` of all these channels together. A call:
-- {"channel_ids", "most", "row"}. It runs after the rows that subscribe the account, in the same commit. `row`: of the type
-- given_history, completed here; none is written where there is no message.
create or replace function give_history_v2(p_realm integer, p_calls jsonb) returns jsonb language plpgsql as $$
declare
  v_call record;
  v_from bigint;
begin
  for v_call in select * from jsonb_to_recordset(p_calls) as c(channel_ids jsonb, most integer, "row" jsonb) loop
    select min(newest.id) into v_from from (
      select m.id from jsonb_array_elements_text(v_call.channel_ids) as c(channel_id) cross join lateral (
          select id from message where realm_id = p_realm and channel_id = c.channel_id::integer
           order by id desc limit v_call.most) m
       order by m.id desc limit v_call.most) newest;
    if v_from is not null then
      perform write_row_v1(p_realm, jsonb_set(v_call."row", '{payload,reads_from}', to_jsonb(v_from)));
    end if;
  end loop;
  return '[]';
end $$;

-- Rows of the type given_history.
create or replace function apply_given_history_v1(p_realm integer, p_position bigint, p_payload jsonb, p_beside jsonb)
returns text language sql as $$
  update subscription_span set reads_from = least(reads_from, (p_payload ->> 'reads_from')::bigint)
   where realm_id = p_realm and user_id = (p_payload ->> 'user_id')::integer and closed is null
     and channel_id in (select value::integer from jsonb_array_elements_text(p_payload -> 'channel_ids'));
  select null::text
$$;

-- Rows of the type subscription.
create or replace function apply_subscription_v2(p_realm integer, p_position bigint, p_payload jsonb, p_beside jsonb)
returns text language plpgsql as $$
declare
  v_channel integer := coalesce(p_payload #> '{channel,id}', p_payload -> 'channel_id')::integer;
  v_property text := p_payload ->> 'property';
  v_value jsonb := p_payload -> 'value';
begin
  case p_payload ->> 'op'
  when 'add' then
    insert into subscription_span (realm_id, channel_id, user_id, opened, reads_from)
    select p_realm, v_channel, a.user_id, p_position, p_position
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
