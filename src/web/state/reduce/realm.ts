/** Events of the organization itself, and of its emoji. */
import type { Event } from "../../../client/index.ts"
import type { PageState } from "../model.ts"

const onRealm = (state: PageState, event: Extract<Event, { readonly type: "realm" }>): PageState => {
  if (event.op === "update" && event.property === "name") return { ...state, realmName: event.value }
  if (event.op === "update" && event.property === "enable_read_receipts") return { ...state, hasReceipts: event.value }
  if (event.op === "update" && event.property === "message_content_delete_limit_seconds")
    return { ...state, messageRules: { ...state.messageRules, deleteSeconds: event.value } }
  if (event.op !== "update_dict" || event.property !== "default") return state
  const { data } = event
  const { permissions, messageRules: rules } = state
  /** A limit that is lifted is null, and one that is not told of stays. */
  const limitOf = (told: number | null | undefined, known: number | null) => (told === undefined ? known : told)
  return {
    ...state,
    realmDescription: data.description ?? state.realmDescription,
    topicsPolicy: data.topics_policy ?? state.topicsPolicy,
    permissions: {
      createGroups: data.can_create_groups ?? permissions.createGroups,
      manageGroups: data.can_manage_all_groups ?? permissions.manageGroups,
      addSubscribers: data.can_add_subscribers_group ?? permissions.addSubscribers,
      deleteAny: data.can_delete_any_message_group ?? permissions.deleteAny,
      deleteOwn: data.can_delete_own_message_group ?? permissions.deleteOwn,
      moveTopics: data.can_move_messages_between_topics_group ?? permissions.moveTopics,
      moveChannels: data.can_move_messages_between_channels_group ?? permissions.moveChannels,
    },
    messageRules: {
      isEditable: data.allow_message_editing ?? rules.isEditable,
      editSeconds: limitOf(data.message_content_edit_limit_seconds, rules.editSeconds),
      deleteSeconds: rules.deleteSeconds,
      topicSeconds: limitOf(data.move_messages_within_stream_limit_seconds, rules.topicSeconds),
      channelSeconds: limitOf(data.move_messages_between_streams_limit_seconds, rules.channelSeconds),
      history: data.message_edit_history_visibility_policy ?? rules.history,
    },
  }
}

/** Null for events of other things. */
export const reduceRealm = (state: PageState, event: Event): PageState | null => {
  if (event.type === "realm") return onRealm(state, event)
  return event.type === "realm_emoji" ? { ...state, emoji: new Map(Object.entries(event.realm_emoji)) } : null
}
