-- Moves to another channel: what its people keep, what comes to those of the other one, and the rows that tell of it.

-- The users of a list [[user, ...], ...].
create or replace function users_in_v1(p_list jsonb) returns jsonb language sql immutable as $$
  select coalesce(jsonb_agg(each -> 0), '[]') from jsonb_array_elements(p_list) as each
$$;

-- What NamedMessages has of messages in the channel where they are: {"since"?, "own"?, "kept"?}. Of rows of people's own those
-- of who may read them there: `p_readers` as "from_readers" of move_messages_v2. `p_kept`: what kept_places_v1 answers.
create or replace function held_messages_v1(
  p_realm integer, p_ids bigint[], p_since bigint[], p_channel integer, p_readers integer[], p_kept jsonb
) returns jsonb language plpgsql stable set enable_seqscan = off as $$
declare
  -- Most messages have no row of anybody's own, so what is about these rows is done for the others only.
  v_personal bigint[] := array(
    select distinct message_id from personal_message where realm_id = p_realm and message_id = any(p_ids));
  v_own jsonb;
begin
  if v_personal <> '{}' then
    v_own := (
      select jsonb_agg(jsonb_build_array(h.user_id, h.ids::text) order by h.user_id) from (
        select p.user_id, range_agg(int8range(m.id, m.id, '[]')) as ids
          from unnest(p_ids, p_since) as m(id, since) cross join lateral (
            select o.user_id from personal_message o where o.realm_id = p_realm and o.message_id = m.id offset 0) p
         where m.id = any(v_personal) and not holds_by_span_v1(p_realm, p.user_id, p_channel, m.since)
         group by p.user_id) h
       where p_readers is null or h.user_id = any(p_readers)
          or received_v1(p_realm, h.user_id, p_channel, current_setting('parley.position')::bigint));
  end if;
  return jsonb_strip_nulls(jsonb_build_object(
    'since', case when p_since <> p_ids then to_jsonb(p_since) end, 'own', v_own,
    'kept', p_kept -> 'messages'));
end $$;

-- What an audience of holders has of these messages.
create or replace function held_audience_v1(p_since bigint[], p_kept jsonb) returns jsonb language sql stable as $$
  select jsonb_strip_nulls(jsonb_build_object(
    'since', (select min(each) from unnest(p_since) as each), 'through', (select max(each) from unnest(p_since) as each),
    'kept', p_kept -> 'audience'))
$$;

-- Those of some messages that were edited, moved, reacted to or voted about before: whoever knew them without being told
-- of it may know another form of them.
create or replace function changed_before_v1(p_realm integer, p_ids bigint[]) returns bigint[]
language plpgsql stable set enable_seqscan = off as $$
begin
  return array(
    select m.id from unnest(p_ids) as each(id) cross join lateral (
        select o.id, o.moves from message o where o.realm_id = p_realm and o.id = each.id offset 0) m
     where m.moves is not null
        or exists (select from message_addition a where a.realm_id = p_realm and a.message_id = m.id)
        or exists (select from message_edit e where e.realm_id = p_realm and e.message_id = m.id)
     order by m.id);
end $$;

-- The row by which these are forgotten by those to whom they come: the people of the other channel, and those who hold them
-- there by a row of their own, `p_after`.
create or replace function gone_row_v1(p_row jsonb, p_held jsonb, p_after jsonb, p_ids bigint[], p_changed bigint[]) returns jsonb
language sql stable as $$
  select jsonb_set(jsonb_set(p_row, '{width}', to_jsonb(cardinality(p_changed))), '{payload,messages}',
    p_row #> '{payload,messages}' || jsonb_build_object('ids', to_jsonb(p_changed), 'own', p_after, 'came',
      p_row #> '{payload,messages,came}' || p_held || case when p_held ? 'since' then jsonb_build_object('since', (
        select jsonb_agg(s.since order by s.n) from unnest(p_ids) with ordinality as m(id, n)
          join jsonb_array_elements(p_held -> 'since') with ordinality as s(since, n) on s.n = m.n
         where m.id = any(p_changed))) else '{}' end))
$$;

-- What becomes of people's own rows and kept places, of messages that are still in their channel. `p_call`: that of
-- move_messages_v2, with {"readers", "from_readers", "given", "keeps"}: `given` get rows of their own about what they had.
-- Answers {"after", "stars"}: who holds the messages by a row, not being in the channel to which they come; and who gets back
-- what they had starred.
create or replace function leave_channel_v1(
  p_realm integer, p_position bigint, p_ids bigint[], p_since bigint[], p_call jsonb
) returns jsonb language plpgsql set enable_seqscan = off as $$
declare
  v_from integer := p_call ->> 'channel_id';
  v_to integer := p_call ->> 'to_channel';
  v_personal bigint[];
  v_answer jsonb;
begin
  insert into personal_message (realm_id, user_id, message_id, historical)
  select p_realm, u.id::integer, m.id, true
    from jsonb_array_elements_text(p_call -> 'given') as u(id) cross join unnest(p_ids, p_since) as m(id, since)
   where holds_by_span_v1(p_realm, u.id::integer, v_from, m.since)
      or ((p_call #>> '{row,payload,messages,came,history_shared}')::boolean
        and received_v1(p_realm, u.id::integer, v_from, p_position - 1))
      on conflict do nothing;
  v_personal := array(
    select distinct message_id from personal_message where realm_id = p_realm and message_id = any(p_ids));
  if v_personal <> '{}' then
    with own as materialized (
      select p.user_id, range_agg(int8range(p.message_id, p.message_id, '[]')) as ids,
             range_agg(int8range(p.message_id, p.message_id, '[]')) filter (where p.starred) as starred
        from unnest(v_personal) as m(id) cross join lateral (
          select o.* from personal_message o where o.realm_id = p_realm and o.message_id = m.id offset 0) p
       group by p.user_id),
    judged as materialized (
      select own.*, received_v1(p_realm, user_id, v_to, p_position - 1) as is_there,
             received_v1(p_realm, user_id, v_from, p_position - 1) as was_there,
             p_call -> 'from_readers' = 'null' or p_call -> 'from_readers' @> to_jsonb(user_id) as had
        from own where may_read_v1(p_realm, user_id, v_to, p_call -> 'readers'))
    select jsonb_build_object(
        'after', coalesce(jsonb_agg(jsonb_build_array(user_id, ids::text) order by user_id) filter (where not is_there), '[]'),
        'stars', coalesce(jsonb_agg(jsonb_build_array(user_id, starred::text) order by user_id)
          filter (where starred is not null
            and (not (had or was_there) or cardinality(p_ids) > 1 and case when is_there then not was_there
              else p_call #>> '{row,payload,messages,came,opens_to}' = 'nobody' end)), '[]'))
      into v_answer from judged;
    perform move_personal_rows_v1(p_realm, p_position, v_personal, v_to, p_call -> 'readers');
  end if;
  perform keep_places_v1(
    p_realm, p_position, p_ids, p_since, v_from, v_to, nullif(p_call -> 'keeps', 'null'), p_since <> p_ids);
  return coalesce(v_answer, '{"after": [], "stars": []}');
end $$;

-- Writes the rows about messages that are in their new channel: to those who hold them; to those who have lost them, what they
-- had; to those who get back what they had starred; and about the first messages of both channels. `p_held`, `p_spans`: what
-- held_messages_v1 and held_audience_v1 answered in the old channel; `p_left`: what leave_channel_v1 did; `p_call`: that of
-- move_messages_v2, with {"has_losers", "lost_row", "star_row", "from_row", "to_row"}.
create or replace function tell_between_v1(
  p_realm integer, p_row jsonb, p_ids bigint[], p_held jsonb, p_spans jsonb, p_left jsonb, p_call jsonb
) returns void language plpgsql set enable_seqscan = off as $$
declare
  v_from integer := p_call ->> 'channel_id';
  v_to integer := p_call ->> 'to_channel';
  v_after jsonb := p_left -> 'after';
  v_row jsonb := p_row;
  v_lost jsonb;
begin
  v_row := jsonb_set(v_row, '{payload,messages}', v_row #> '{payload,messages}' || jsonb_build_object(
    'ids', to_jsonb(p_ids), 'came', v_row #> '{payload,messages,came}' || p_held)
    || case when v_after = '[]' then '{}' else jsonb_build_object('own', v_after) end);
  v_row := jsonb_set(v_row, '{audience,from}', v_row #> '{audience,from}' || p_spans);
  perform append_row_v1(p_realm, jsonb_set(v_row, '{audience,also}', users_in_v1(v_after)));

  v_lost := (
    select coalesce(jsonb_agg(each), '[]') from jsonb_array_elements(p_held -> 'own') as each
     where not may_read_v1(p_realm, (each ->> 0)::integer, v_to, p_call -> 'readers'));
  v_row := p_call -> 'lost_row';
  if (p_call -> 'has_losers')::boolean or v_lost <> '[]' or v_row #> '{audience,also}' <> '[]'
     or (p_held ? 'kept' and p_row #>> '{payload,messages,came,opens_to}' <> 'everybody') then
    v_row := jsonb_set(v_row, '{payload,messages}', v_row #> '{payload,messages}' || (p_held - 'own' - 'is_one')
      || jsonb_build_object('ids', to_jsonb(p_ids))
      || case when v_lost = '[]' then '{}' else jsonb_build_object('own', v_lost) end
      || case when v_after = '[]' then '{}' else jsonb_build_object('still', v_after) end);
    v_row := jsonb_set(v_row, '{audience}', v_row -> 'audience' || jsonb_build_object(
      'from', v_row #> '{audience,from}' || p_spans, 'also', v_row #> '{audience,also}' || users_in_v1(v_lost)));
    perform append_row_v1(p_realm, jsonb_set(v_row, '{width}', to_jsonb(cardinality(p_ids))));
  end if;
  perform write_flags_v1(p_realm, jsonb_set(p_call -> 'star_row', '{audience,users}', jsonb_build_array(each -> 0)),
                         (each ->> 1)::int8multirange)
     from jsonb_array_elements(p_left -> 'stars') as each;
  perform tell_first_v2(p_realm, c.id, p_ids[1], p_call -> 'from_row') from channel c
   where c.realm_id = p_realm and c.id = v_from
     and (c.first_message_id is null or c.first_message_id between p_ids[1] and p_ids[cardinality(p_ids)]);
  perform tell_first_v2(p_realm, c.id, 0, p_call -> 'to_row') from channel c
   where c.realm_id = p_realm and c.id = v_to and (c.first_message_id is null or c.first_message_id > p_ids[1]);
end $$;
