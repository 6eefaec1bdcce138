/** Events of groups. */
import type { Api, Event } from "../../../client/index.ts"
import type { PageState } from "../model.ts"

const changeGroup = (
  state: PageState,
  id: number,
  change: (group: Api.UserGroup) => Partial<Api.UserGroup>,
): PageState => {
  const group = state.groups.get(id)
  if (group === undefined) return state
  return { ...state, groups: new Map(state.groups).set(id, { ...group, ...change(group) }) }
}

const onGroup = (state: PageState, event: Extract<Event, { readonly type: "user_group" }>): PageState => {
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

/** Null for events of other things. */
export const reduceGroups = (state: PageState, event: Event): PageState | null =>
  event.type === "user_group" ? onGroup(state, event) : null
