/** Events of the reader's own things: drafts, scheduled messages, settings. */
import type { Event } from "../../../client/index.ts"
import type { PageState } from "../model.ts"

const onDrafts = (state: PageState, event: Extract<Event, { readonly type: "drafts" }>): PageState => {
  const drafts = new Map(state.drafts)
  if (event.op === "add") for (const draft of event.drafts) drafts.set(draft.id, draft)
  else if (event.op === "update") drafts.set(event.draft.id, event.draft)
  else drafts.delete(event.draft_id)
  return { ...state, drafts }
}

const onScheduled = (state: PageState, event: Extract<Event, { readonly type: "scheduled_messages" }>): PageState => {
  const scheduled = new Map(state.scheduled)
  if (event.op === "add") for (const each of event.scheduled_messages) scheduled.set(each.scheduled_message_id, each)
  else if (event.op === "update") scheduled.set(event.scheduled_message.scheduled_message_id, event.scheduled_message)
  else scheduled.delete(event.scheduled_message_id)
  return { ...state, scheduled }
}

/** Null for events of other things. */
export const reduceOwnData = (state: PageState, event: Event): PageState | null => {
  if (event.type === "drafts") return onDrafts(state, event)
  if (event.type === "scheduled_messages") return onScheduled(state, event)
  if (event.type !== "user_settings" || event.op !== "update" || state.settings === null) return null
  return { ...state, settings: { ...state.settings, [event.property]: event.value } }
}
