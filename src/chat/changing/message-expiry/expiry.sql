-- Messages that are older than their place keeps them.

-- The next messages to go: groups of one topic or one conversation each, those with the oldest message first, p_most messages in a
-- group at most; of a place further groups only until it has p_most messages, p_groups in all. p_places: [{"channel_id": null for
-- direct messages, "before", "from"}]: sent before that time, in milliseconds, messages of a channel and conversations from the id `from` on. Answers {"groups", "done": [the
-- channel_id of each place in which nothing is left]}; groups: [{"channel_id", "topic_folded", "conversation_id", "members", "low",
-- "high", "before", "count", "files"}]: ids from `low` to before `high`; `files`: those that the messages link.
create or replace function find_expired_v1(p_realm integer, p_places jsonb, p_groups integer, p_most integer) returns jsonb
language plpgsql stable set enable_seqscan = off as $$
declare
  v_place record;
  v_first record;
  v_ids bigint[];
  v_count integer;
  v_topics text[];
  v_after bigint;
  v_found jsonb := '[]';
  v_done jsonb := '[]';
begin
  for v_place in
    select p.channel_id, p.before, p."from", b.bound
      from jsonb_to_recordset(p_places) as p(channel_id integer, before bigint, "from" bigint)
      join (select each.before, messages_since_v1(p_realm, each.before) as bound from (
              select distinct o.before from jsonb_to_recordset(p_places) as o(before bigint)) as each) as b
        on b.before = p.before
  loop
    v_count := 0;
    v_topics := '{}';
    v_after := v_place."from" - 1;
    while v_count < p_most and jsonb_array_length(v_found) < p_groups loop
      if v_place.channel_id is null then
        select c.id as conversation_id, c.member_key as members, null::text as topic_folded into v_first from conversation c
          cross join lateral (
            select from message m where m.realm_id = p_realm and m.conversation_id = c.id and m.id < v_place.bound
               and m.sent_at < v_place.before limit 1) as old
         where c.realm_id = p_realm and c.id > v_after and c.id < v_place.bound order by c.id limit 1;
        if v_first.conversation_id is null then
          if v_count = 0 then
            v_done := v_done || '[null]'::jsonb;
          end if;
          exit;
        end if;
        v_after := v_first.conversation_id;
        v_ids := array(select m.id from message m where m.realm_id = p_realm and m.conversation_id = v_first.conversation_id
          and m.id < v_place.bound and m.sent_at < v_place.before order by m.id limit p_most);
      else
        select null::bigint as conversation_id, null::text as members, m.topic_folded into v_first from message m
         where m.realm_id = p_realm and m.channel_id = v_place.channel_id and m.id >= v_place."from" and m.id < v_place.bound
           and m.sent_at < v_place.before and m.topic_folded <> all(v_topics) order by m.id limit 1;
        if v_first.topic_folded is null then
          if v_topics = '{}' then
            v_done := v_done || to_jsonb(v_place.channel_id);
          end if;
          exit;
        end if;
        v_topics := v_topics || v_first.topic_folded;
        v_ids := array(select m.id from message m where m.realm_id = p_realm and m.channel_id = v_place.channel_id
          and m.topic_folded = v_first.topic_folded and m.id >= v_place."from" and m.id < v_place.bound
          and m.sent_at < v_place.before order by m.id limit p_most);
      end if;
      v_count := v_count + cardinality(v_ids);
      v_found := v_found || jsonb_build_object(
        'channel_id', v_place.channel_id, 'topic_folded', v_first.topic_folded, 'conversation_id', v_first.conversation_id,
        'members', v_first.members, 'low', v_ids[1], 'high', v_ids[cardinality(v_ids)] + 1, 'before', v_place.before,
        'count', cardinality(v_ids), 'files', array(
          select distinct l.attachment_id from unnest(v_ids) as each(id) cross join lateral (
            select o.attachment_id from attachment_message o where o.realm_id = p_realm and o.message_id = each.id
            offset 0) as l));
    end loop;
    exit when jsonb_array_length(v_found) >= p_groups;
  end loop;
  return jsonb_build_object('groups', v_found, 'done', v_done);
end $$;

-- Calls: {"conversation_id", "low", "high", "before", "row", "file_row"}. Deletes those messages of a conversation that lie between
-- `low` and `high` and were sent before `before`; `row`, of the type delete_message, is completed here.
create or replace function expire_direct_v1(p_realm integer, p_calls jsonb) returns jsonb
language plpgsql set enable_seqscan = off as $$
declare
  v_call record;
  v_ids bigint[];
  v_row jsonb;
begin
  for v_call in
    select * from jsonb_to_recordset(p_calls) as c(
      conversation_id bigint, low bigint, high bigint, before bigint, "row" jsonb, file_row jsonb)
  loop
    v_ids := array(select m.id from message m where m.realm_id = p_realm and m.conversation_id = v_call.conversation_id
      and m.id >= v_call.low and m.id < v_call.high and m.sent_at < v_call.before order by m.id);
    continue when cardinality(v_ids) = 0;
    v_row := jsonb_set(v_call."row", '{payload,emptied}', to_jsonb(empty_rows_v2(p_realm, v_ids)));
    v_row := jsonb_set(v_row, '{payload,messages,ids}', to_jsonb(v_ids));
    v_row := with_kept_v1(p_realm, v_row, v_ids, null);
    perform forget_messages_v1(p_realm, v_ids, v_call.file_row);
    perform append_row_v1(p_realm, jsonb_set(v_row, '{width}', to_jsonb(cardinality(v_ids))));
  end loop;
  return '[]';
end $$;

-- Notes the terms of an organization (src/chat/changing/message-expiry/retention-terms.ts).
create or replace function note_terms_v1(p_realm integer, p_terms jsonb) returns void
language sql as $$
  update realm set message_terms = p_terms where id = p_realm;
$$;
