/** Events of the reader's own things, of groups, and of the organization. */
import type { Api, Event } from "../../client/index.ts"
import type { State } from "./model.ts"

const onDrafts = (state: State, event: Extract<Event, { readonly type: "drafts" }>): State => {
  const drafts = new Map(state.drafts)
  if (event.op === "add") for (const draft of event.drafts) drafts.set(draft.id, draft)
  else if (event.op === "update") drafts.set(event.draft.id, event.draft)
  else drafts.delete(event.draft_id)
  return { ...state, drafts }
}

const onScheduled = (state: State, event: Extract<Event, { readonly type: "scheduled_messages" }>): State => {
  const scheduled = new Map(state.scheduled)
  if (event.op === "add") for (const each of event.scheduled_messages) scheduled.set(each.scheduled_message_id, each)
  else if (event.op === "update") scheduled.set(event.scheduled_message.scheduled_message_id, event.scheduled_message)
  else scheduled.delete(event.scheduled_message_id)
  return { ...state, scheduled }
}

const changeGroup = (state: State, id: number, change: (group: Api.UserGroup) => Partial<Api.UserGroup>): State => {
  const group = state.groups.get(id)
  if (group === undefined) return state
  return { ...state, groups: new Map(state.groups).set(id, { ...group, ...change(group) }) }
}

const onGroup = (state: State, event: Extract<Event, { readonly type: "user_group" }>): State => {
  const groups = new Map(state.groups)
  if (event.op === "add") return { ...state, groups: groups.set(event.group.id, event.group) }
  if (event.op === "add_members")
    return changeGroup(state, event.group_id, ({ members }) => ({ members: [...members, ...event.user_ids] }))
  if (event.op === "remove_members")
    return changeGroup(state, event.group_id, ({ members }) => ({
      members: members.filter((id) => !event.user_ids.includes(id)),
    }))
  if (event.op === "add_subgroups")
    return changeGroup(state, event.group_id, ({ direct_subgroup_ids: known }) => ({
      direct_subgroup_ids: [...known, ...event.direct_subgroup_ids],
    }))
  if (event.op === "remove_subgroups")
    return changeGroup(state, event.group_id, ({ direct_subgroup_ids: known }) => ({
      direct_subgroup_ids: known.filter((id) => !event.direct_subgroup_ids.includes(id)),
    }))
  if (event.op === "update") return changeGroup(state, event.group_id, () => event.data)
  if (event.op !== "remove") return state
  groups.delete(event.group_id)
  return { ...state, groups }
}

const onRealm = (state: State, event: Extract<Event, { readonly type: "realm" }>): State => {
  if (event.op === "update" && event.property === "name") return { ...state, realmName: event.value }
  if (event.op === "update" && event.property === "enable_read_receipts") return { ...state, hasReceipts: event.value }
  if (event.op !== "update_dict" || event.property !== "default") return state
  const { data } = event
  const { permissions } = state
  return {
    ...state,
    realmDescription: data.description ?? state.realmDescription,
    permissions: {
      createGroups: data.can_create_groups ?? permissions.createGroups,
      manageGroups: data.can_manage_all_groups ?? permissions.manageGroups,
      addSubscribers: data.can_add_subscribers_group ?? permissions.addSubscribers,
    },
  }
}

/** Null for events of other things. */
export const reduceAccount = (state: State, event: Event): State | null => {
  if (event.type === "drafts") return onDrafts(state, event)
  if (event.type === "scheduled_messages") return onScheduled(state, event)
  if (event.type === "user_group") return onGroup(state, event)
  if (event.type === "realm") return onRealm(state, event)
  if (event.type === "realm_emoji") return { ...state, emoji: new Map(Object.entries(event.realm_emoji)) }
  if (event.type !== "user_settings" || event.op !== "update" || state.settings === null) return null
  return { ...state, settings: { ...state.settings, [event.property]: event.value } }
}
