/** I2 by one query: events in the log without their change in the tables, and changes without an event. */
import type { TestServer } from "./with-server.ts"

const statement = `
  with entry as (select * from log where realm_id = 1 and not payload ? 'told'),
  added as (
    select position, (payload #>> '{channel,id}')::int as channel_id, (a ->> 'user_id')::int as user_id
      from entry, jsonb_array_elements(payload -> 'added') a 
     where type = 'subscription' and payload ->> 'op' = 'add'),
  removed as (
    select position, (payload ->> 'channel_id')::int as channel_id, u::int as user_id
      from entry, jsonb_array_elements_text(payload -> 'user_ids') u
     where type = 'subscription' and payload ->> 'op' = 'remove'),
  of_group as (
    select position, payload ->> 'op' as op, payload, (payload ->> 'group_id')::int as group_id from entry
     where type = 'user_group' and payload ? 'group_id'),
  new_group as (
    select position, payload -> 'group' as record, (payload #>> '{group,id}')::int as group_id from entry
     where type = 'user_group' and payload ->> 'op' = 'add'),
  entered as (
    select position, group_id, u::int as user_id from new_group, jsonb_array_elements_text(record -> 'members') u
    union all select position, group_id, u::int from of_group, jsonb_array_elements_text(payload -> 'user_ids') u
     where op = 'add_members'),
  exited as (
    select position, group_id, u::int as user_id from of_group, jsonb_array_elements_text(payload -> 'user_ids') u
     where op = 'remove_members'),
  nested as (
    select position, group_id, u::int as subgroup_id from new_group, jsonb_array_elements_text(record -> 'subgroups') u
    union all select position, group_id, u::int from of_group, jsonb_array_elements_text(payload -> 'subgroup_ids') u
     where op = 'add_subgroups'),
  unnested as (
    select position, group_id, u::int as subgroup_id from of_group, jsonb_array_elements_text(payload -> 'subgroup_ids') u
     where op = 'remove_subgroups'),
  left_us as (
    select position, (payload ->> 'user_id')::int as user_id from entry
     where type = 'realm_user' and payload ->> 'op' = 'update' and not (payload ->> 'is_active')::boolean),
  joined as (
    select position, (payload #>> '{user,id}')::int as user_id from entry
     where type = 'realm_user' and payload ->> 'op' = 'add'),
  returned as (
    select position, (payload ->> 'user_id')::int as user_id, payload -> 'channel_ids' as channel_ids from entry
     where type = 'realm_user' and (payload ->> 'is_active')::boolean),
  turned as (
    select position, (payload ->> 'user_id')::int as user_id, (payload ->> 'role')::int as role from entry
     where type = 'realm_user' and payload ? 'role')
  select 'message without event' as what, id as n from message m
   where not exists (select from entry where position = m.id and type = 'message' and message_id = m.id)
  union all select 'event without message', position from entry
   where type = 'message' and not exists (select from message where id = position)
     and not exists (select from entry d where d.type = 'delete_message' and d.payload -> 'emptied' @> to_jsonb(entry.position))
  union all select 'remembered send without message', message_id from sent
   where not exists (select from message where id = message_id)
  union all select 'subscription without event', opened from subscription_span s
   where not exists (select from added where position = opened and channel_id = s.channel_id and user_id = s.user_id)
     and not exists (select from returned where position = opened and user_id = s.user_id
                        and channel_ids @> to_jsonb(s.channel_id))
  union all select 'event without subscription', position from added a
   where not exists (select from subscription_span s
                      where opened = position and s.channel_id = a.channel_id and s.user_id = a.user_id)
  union all select 'end of a subscription without event', closed from subscription_span s
   where closed is not null
     and not exists (select from removed where position = closed and channel_id = s.channel_id and user_id = s.user_id)
     and not exists (select from left_us where position = closed and user_id = s.user_id)
  union all select 'event without end of a subscription', position from removed r
   where not exists (select from subscription_span s
                      where closed = position and s.channel_id = r.channel_id and s.user_id = r.user_id)
  union all select 'user without event', id from account
   where not exists (select from joined where user_id = id)
  union all select 'event without user', position from joined j
   where not exists (select from role_span s where s.opened = j.position and s.user_id = j.user_id)
  union all select 'end of a role without event', closed from role_span s
   where closed is not null and not exists (select from left_us where position = closed and user_id = s.user_id)
     and not exists (select from turned where position = closed and user_id = s.user_id)
  union all select 'role without event', opened from role_span s
   where not exists (select from joined where position = opened and user_id = s.user_id)
     and not exists (select from returned where position = opened and user_id = s.user_id)
     and not exists (select from turned where position = opened and user_id = s.user_id and role = s.role)
  union all select 'event without role', position from turned c
   where not exists (select from role_span s where opened = position and s.user_id = c.user_id and s.role = c.role)
  union all select 'return without role', position from returned c
   where not exists (select from role_span s where opened = position and s.user_id = c.user_id)
  union all select 'key without event', id from account a
   where key_version <> (select 1 + count(*) from entry where type = 'api_key' and (payload ->> 'user_id')::int = a.id)
  union all select 'event without end of a role', position from left_us l
   where not exists (select from role_span s where closed = position and s.user_id = l.user_id)
  union all select 'channel without event', id from channel c
   where not exists (select from entry where type = 'stream' and payload ->> 'op' = 'create'
                        and (payload #>> '{channel,id}')::int = c.id)
  union all select 'first message without event', first_message_id from channel c
   where first_message_id is not null
     and not exists (select from entry where type = 'stream' and payload ->> 'op' = 'update'
                        and (payload ->> 'channel_id')::int = c.id and (payload ->> 'value')::bigint = first_message_id)
  union all select 'group without event', id from user_group g
   where not is_system and not exists (select from new_group where group_id = g.id)
  union all select 'event without group', position from new_group
   where not exists (select from user_group where id = group_id)
  union all select 'member without event', opened from group_member_span s
   where not exists (select from entered where position = opened and group_id = s.group_id and user_id = s.user_id)
  union all select 'event without member', position from entered e
   where not exists (select from group_member_span s
                      where opened = position and s.group_id = e.group_id and s.user_id = e.user_id)
  union all select 'end of a member without event', closed from group_member_span s
   where closed is not null
     and not exists (select from exited where position = closed and group_id = s.group_id and user_id = s.user_id)
  union all select 'event without end of a member', position from exited e
   where not exists (select from group_member_span s
                      where closed = position and s.group_id = e.group_id and s.user_id = e.user_id)
  union all select 'subgroup without event', opened from subgroup_span s
   where group_id > 8
     and not exists (select from nested n
                      where position = opened and n.group_id = s.group_id and n.subgroup_id = s.subgroup_id)
  union all select 'event without subgroup', position from nested n
   where not exists (select from subgroup_span s
                      where opened = position and s.group_id = n.group_id and s.subgroup_id = n.subgroup_id)
  union all select 'end of a subgroup without event', closed from subgroup_span s
   where closed is not null
     and not exists (select from unnested n
                      where position = closed and n.group_id = s.group_id and n.subgroup_id = s.subgroup_id)
  union all select 'event without end of a subgroup', position from unnested n
   where not exists (select from subgroup_span s
                      where closed = position and s.group_id = n.group_id and s.subgroup_id = n.subgroup_id)
  union all select 'folder without event', id from channel_folder f
   where not exists (select from entry where type = 'channel_folder' and (payload #>> '{folder,id}')::int = f.id)
  union all select 'gap or double in positions', max(position) from log where realm_id = 1 having max(position) <> count(*)`

/** A line for each event or change without the other; empty if there is none. The log must not have been pruned. */
export const findOrphans = async (server: TestServer): Promise<ReadonlyArray<string>> =>
  (await server.rows(statement)).map((row) => `${String(row["what"])}: ${String(row["n"])}`)
