-- Rows as the program has planned them, written by the functions of every capability.

-- The rows that follow from a change: [{"type", "payload", "audience", "width"?}, ...], in this order. One of the type
-- queue_end ends the event queues of those it names; the tables of default channels and their groups become what a row lists.
create or replace function emit_rows_v1(p_realm integer, p_rows jsonb) returns void language plpgsql as $$
declare
  v_row jsonb;
begin
  for v_row in select value from jsonb_array_elements(p_rows) loop
    perform emit_v1(p_realm, v_row ->> 'type', true, v_row -> 'payload', v_row -> 'audience',
                    coalesce((v_row ->> 'width')::integer, 1));
    if v_row ->> 'type' = 'queue_end' then
      delete from event_queue where realm_id = p_realm
         and user_id in (select value::integer from jsonb_array_elements_text(v_row #> '{payload,user_ids}'));
    elsif v_row ->> 'type' = 'default_streams' and not (v_row -> 'payload') ? 'told' then
      perform set_default_channels_v1(p_realm, v_row #> '{payload,channel_ids}');
    elsif v_row ->> 'type' = 'default_stream_groups' and not (v_row -> 'payload') ? 'told' then
      perform set_default_groups_v1(p_realm, v_row #> '{payload,groups}');
    end if;
  end loop;
end $$;
