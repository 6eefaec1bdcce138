/** Events of people: accounts, presence, status, and who is typing. */
import type { Api, Event } from "../../../client/index.ts"
import { ranksOf, readPerson, readPresences } from "../initial-state.ts"
import { type Conversation, conversationKey, directWith, type PagePerson, type PageState } from "../model.ts"

type Change = Api.RealmUserUpdateEvent["person"]

const changeOf = (person: PagePerson, given: Change): Partial<PagePerson> => {
  if ("full_name" in given) return { name: given.full_name }
  if ("is_active" in given) return { isActive: given.is_active }
  if ("role" in given) return { role: given.role }
  if ("bot_owner_id" in given) return { ownerId: given.bot_owner_id }
  if ("avatar_url" in given) return { avatarUrl: given.avatar_url }
  if ("delivery_email" in given) return given.delivery_email === null ? {} : { email: given.delivery_email }
  if ("timezone" in given) return { timezone: given.timezone }
  if (!("custom_profile_field" in given)) return {}
  const { id, value } = given.custom_profile_field
  return { fields: { ...person.fields, [id]: value ?? "" } }
}

const onPerson = (state: PageState, event: Extract<Event, { readonly type: "realm_user" }>): PageState => {
  const people = new Map(state.people)
  if (event.op === "add") return { ...state, people: people.set(event.person.user_id, readPerson(event.person)) }
  const person = people.get(event.person.user_id)
  if (person === undefined) return state
  // Whoever is no longer seen has their messages still, so the name stays.
  if (event.op === "remove") return { ...state, people: people.set(person.id, { ...person, isActive: false }) }
  const changed = { ...person, ...changeOf(person, event.person) }
  const self = person.id === state.self.id ? { ...state.self, ...ranksOf(changed.role) } : state.self
  return { ...state, self, people: people.set(person.id, changed) }
}

const stillTyping = 15_000

const typingPlace = (state: PageState, event: Api.TypingStartEvent | Api.TypingStopEvent): Conversation =>
  event.message_type === "direct"
    ? directWith(
        state.self.id,
        event.recipients.map(({ user_id }) => user_id),
      )
    : { kind: "topic", channel: event.stream_id, topic: event.topic }

const onTyping = (state: PageState, event: Api.TypingStartEvent | Api.TypingStopEvent, now: number): PageState => {
  const user = event.sender.user_id
  if (user === state.self.id) return state
  const key = conversationKey(typingPlace(state, event))
  const others = (state.typing.get(key) ?? []).filter((each) => each.user !== user && each.until > now)
  const typists = event.op === "start" ? [...others, { user, until: now + stillTyping }] : others
  return { ...state, typing: new Map(state.typing).set(key, typists) }
}

const onPresence = (state: PageState, event: Api.PresenceEvent): PageState => {
  if ("presences" in event)
    return { ...state, presence: new Map([...state.presence, ...readPresences(event.presences)]) }
  const { status, timestamp } = event.presence.website
  const known = state.presence.get(event.user_id)
  const next = { active: status === "active" ? timestamp : (known?.active ?? 0), idle: timestamp }
  return { ...state, presence: new Map(state.presence).set(event.user_id, next) }
}

const onStatus = (state: PageState, event: Api.UserStatusEvent): PageState => {
  const known = state.statuses.get(event.user_id)
  const status = {
    text: event.status_text ?? known?.text ?? "",
    emojiName: "emoji_name" in event ? event.emoji_name : (known?.emojiName ?? ""),
    emojiCode: "emoji_code" in event ? event.emoji_code : (known?.emojiCode ?? ""),
  }
  return { ...state, statuses: new Map(state.statuses).set(event.user_id, status) }
}

/** Null for events of other things. */
export const reducePeople = (state: PageState, event: Event, now: number): PageState | null => {
  if (event.type === "realm_user") return onPerson(state, event)
  if (event.type === "typing") return onTyping(state, event, now)
  if (event.type === "presence") return onPresence(state, event)
  if (event.type === "user_status") return onStatus(state, event)
  return event.type === "muted_users" ? { ...state, mutedPeople: new Set(event.muted_users.map(({ id }) => id)) } : null
}
