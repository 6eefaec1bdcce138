-- Channels. What is_default says follows from the rows of default channels (default-channels.sql).

-- Channels as the projection holds them.
create or replace function load_channels_v1(p_realm integer) returns json language sql stable as $$
  select coalesce(json_agg(json_build_object(
      'id', id, 'name', name, 'description', description, 'rendered_description', rendered_description,
      'creator_id', creator_id, 'created_at', created_at, 'is_private', is_private, 'is_web_public', is_web_public,
      'history_shared', history_shared, 'is_archived', is_archived, 'is_default', is_default,
      'topics_policy', topics_policy, 'retention_days', retention_days, 'permissions', permissions,
      'first_message_id', first_message_id, 'folder_id', folder_id, 'is_recently_active', is_recently_active,
      'weekly_traffic', weekly_traffic) order by id), '[]')
    from channel where realm_id = p_realm
$$;

-- Whether any message of the channel stands in another topic than the empty one; one look at the index.
create or replace function has_named_topics_v1(p_realm integer, p_channel integer) returns boolean
language plpgsql stable set enable_seqscan = off as $$
begin
  return exists (select 1 from message where realm_id = p_realm and channel_id = p_channel and topic_folded > '');
end $$;

-- The guard of a change by which a channel is to take the empty topic only: {"channel_id"}.
create or replace function refuse_named_topics_v1(p_realm integer, p_args jsonb) returns text language plpgsql as $$
begin
  return case when has_named_topics_v1(p_realm, (p_args ->> 'channel_id')::integer) then 'named_topics' end;
end $$;

-- Rows of the type stream. Beside a name: {"name_folded"}. A channel that is archived gives nothing back any more to subscribers who have not heard yet that
-- it had returned (channel-archive.ts): the next return tells them all anew.
create or replace function apply_stream_v2(p_realm integer, p_position bigint, p_payload jsonb, p_beside jsonb)
returns text language plpgsql as $$
declare
  v_set jsonb := p_payload -> 'set';
begin
  case p_payload ->> 'op'
  when 'create' then
    insert into channel (realm_id, id, name, description, rendered_description, creator_id, created_at, is_private,
                         is_web_public, history_shared, is_default, topics_policy, retention_days, permissions, folder_id,
                         name_folded)
    select p_realm, c.id, c.name, c.description, c.rendered_description, c.creator_id, c.created_at, c.is_private,
           c.is_web_public, c.history_shared, c.is_default, c.topics_policy, c.retention_days, c.permissions, c.folder_id,
           p_beside ->> 'name_folded'
      from jsonb_to_record(p_payload -> 'channel') as c(
        id integer, name text, description text, rendered_description text, creator_id integer, created_at bigint,
        is_private boolean, is_web_public boolean, history_shared boolean, is_default boolean, topics_policy text,
        retention_days integer, permissions jsonb, folder_id integer);
  when 'update' then
    if p_payload ? 'property' then
      update channel set first_message_id = (p_payload ->> 'value')::bigint
       where realm_id = p_realm and id = (p_payload ->> 'channel_id')::integer;
    else
      update channel
         set name = coalesce(v_set ->> 'name', name),
             name_folded = coalesce(p_beside ->> 'name_folded', name_folded),
             description = coalesce(v_set ->> 'description', description),
             rendered_description = coalesce(v_set ->> 'rendered_description', rendered_description),
             is_private = coalesce((v_set ->> 'is_private')::boolean, is_private),
             is_web_public = coalesce((v_set ->> 'is_web_public')::boolean, is_web_public),
             history_shared = coalesce((v_set ->> 'history_shared')::boolean, history_shared),
             topics_policy = coalesce(v_set ->> 'topics_policy', topics_policy),
             -- Null is a value of these.
             retention_days = case when v_set ? 'retention_days' then (v_set ->> 'retention_days')::integer
                                   else retention_days end,
             folder_id = case when v_set ? 'folder_id' then (v_set ->> 'folder_id')::integer else folder_id end,
             weekly_traffic = case when v_set ? 'weekly_traffic' then (v_set ->> 'weekly_traffic')::integer
                                   else weekly_traffic end,
             is_recently_active = coalesce((v_set ->> 'is_recently_active')::boolean, is_recently_active),
             permissions = permissions || coalesce(v_set -> 'permissions', '{}')
       where realm_id = p_realm and id = (p_payload ->> 'channel_id')::integer;
    end if;
  when 'archive' then
    update channel set is_archived = true where realm_id = p_realm and id = (p_payload ->> 'channel_id')::integer;
    delete from unfinished_work
     where realm_id = p_realm and kind = 'return_subscribers' and args -> 'channel_id' = p_payload -> 'channel_id';
  when 'unarchive' then
    update channel set is_archived = false where realm_id = p_realm and id = (p_payload #>> '{channel,id}')::integer;
  end case;
  return null;
end $$;
