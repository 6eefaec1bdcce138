/** Messages as requests for them show them: with the current names of people and channels, and all that belongs to them. */
import * as Effect from "effect/Effect"
import type { Caller, Visitor } from "../../../api/endpoint.ts"
import type { UserRead } from "../../../db/reads.ts"
import { UserId } from "../../../ids.ts"
import type { JsonObject } from "../../../json.ts"
import { isLimited, mayKnow } from "../../ground/realm/acquaintance/acquaintance.ts"
import { apiEmail, placeholderAddress } from "../../ground/realm/email-addresses.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import type { UserRecord } from "../../ground/realm/records.ts"
import { findPerson } from "../../ground/realm/system-bots.ts"
import { requireReader } from "../../ground/requester/requester.ts"
import { unknownSender } from "../../ground/wire/wire-unknown.ts"
import {
  type MessagePayload,
  type MessageRendering,
  senderOf,
  wireMessage,
} from "../../sending/messages/wire-message.ts"
import { topicLinks } from "../../text/markdown/topic-links.ts"
import { type Additions, findAdditions, noAdditions } from "./additions-store.ts"
import { findEdits, type StoredEdit } from "./edit-history-store.ts"
import type { Scope } from "./fetch-messages-store.ts"
import { judgeFor } from "./message-access.ts"
import type { StoredMessage } from "./messages-by-id-store.ts"
import type { Narrow } from "./narrows/narrow.ts"
import type { TextMatch } from "./texts/text-matches.ts"
import { mostShownEdits } from "./walk/message-size-store.ts"
import { changeTimes, type FormerVisibility, formerVisibilityOf, visibleEdits, wireEdits } from "./wire-edits.ts"

/** The realm and the reader at one moment. `user` is null for a visitor without an account. */
export interface ReaderView {
  readonly realm: Realm
  readonly user: UserRecord | null
  readonly scope: (narrow: Narrow) => Scope
  /** Of which channels it shows that messages were there; absent: of those that the reader sees. */
  readonly visibility?: FormerVisibility
}

export const requireView = Effect.fnUntraced(function* (who: Caller | Visitor) {
  const { realm, user } = yield* requireReader(who)
  const head = realm.position
  const holder = user === null ? null : user.id
  const judge = judgeFor(realm, user)
  const scope = (narrow: Narrow): Scope => ({ realm: realm.id, user: holder, head, narrow, judge })
  const view: ReaderView = { realm, user, scope }
  return view
})

/** Undefined where the sender or the channel is unknown; `loadMessages` waits until both are known. */
const findPayload = ({ realm, user }: ReaderView, row: StoredMessage): MessagePayload | undefined => {
  const sender = findPerson(realm, row.sender_id)
  if (sender === undefined) return undefined
  const { client, read_by_sender } = row
  const email = user === null ? placeholderAddress(realm, sender) : apiEmail(realm, sender)
  const sentBy = senderOf(sender, email)
  if (row.channel_id !== null) {
    const channel = realm.channels.get(row.channel_id)
    const { topic } = row
    const topic_links = topicLinks(realm, topic)
    return (
      channel && {
        sender: sentBy,
        client,
        read_by_sender,
        channel: { id: channel.id, name: channel.name, topic, topic_links },
      }
    )
  }
  const people = (row.member_key ?? "").split(",").flatMap((key) => {
    const person = findPerson(realm, UserId(Number(key)))
    return person === undefined ? [] : [{ id: person.id, email: apiEmail(realm, person), full_name: person.full_name }]
  })
  return { sender: sentBy, client, read_by_sender, people, conversation_id: row.conversation_id ?? row.id }
}

/** The details of messages that are shown beside their rows, by their ids. */
export interface MessageDetails {
  readonly additions: ReadonlyMap<number, Additions>
  readonly edits: ReadonlyMap<number, ReadonlyArray<JsonObject>>
  /** The places in them where a search has found something; absent: nothing was searched for. */
  readonly matchOf?: (row: StoredMessage) => TextMatch
}

export const findDetails = Effect.fnUntraced(function* (
  reading: UserRead,
  scope: Scope,
  rows: ReadonlyArray<StoredMessage>,
  { realm, user, visibility = formerVisibilityOf(realm, user) }: ReaderView,
  { emptyTopicName }: Pick<MessageRendering, "emptyTopicName">,
) {
  const added = rows.filter((row) => row.has_additions).map(({ id }) => id)
  const additions = yield* findAdditions(reading, scope.realm, added)
  const changed = rows.filter((row) => row.is_changed).map(({ id }) => id)
  const policy = realm.settings.message_edit_history_visibility_policy
  const found = new Map<number, Array<StoredEdit>>()
  for (const edit of yield* findEdits(reading, scope.realm, changed, policy, mostShownEdits)) {
    const list = found.get(edit.message_id)
    if (list === undefined) found.set(edit.message_id, [edit])
    else list.push(edit)
  }
  const visible = rows.flatMap(({ id, channel_id }) =>
    visibleEdits(found.get(id) ?? [], channel_id, visibility, mostShownEdits),
  )
  const edits = wireEdits(visible, emptyTopicName)
  const details: MessageDetails = { additions, edits }
  return details
})

/** Whether a sender is unknown to the reader. Each is asked about once: of a limited guest's channels that is not cheap. */
const unknownTo = ({ realm, user }: ReaderView): ((sender: UserId) => boolean) => {
  if (!isLimited(realm, user)) return () => false
  const found = new Map<UserId, boolean>()
  return (id) => {
    const isUnknown = found.get(id) ?? !mayKnow(realm, user, { id, is_bot: realm.users.get(id)?.is_bot === true })
    found.set(id, isUnknown)
    return isUnknown
  }
}

export const toWire = (
  view: ReaderView,
  rows: ReadonlyArray<StoredMessage>,
  { additions, edits, matchOf }: MessageDetails,
  rendering: MessageRendering,
): ReadonlyArray<JsonObject> => {
  const isUnknown = unknownTo(view)
  return rows.flatMap((row) => {
    const payload = findPayload(view, row)
    if (payload === undefined) return []
    const content = { raw: row.content, rendered: row.rendered }
    const edit_history = edits.get(row.id)
    // Own keys first: a key that follows a spread costs V8 more than all the rest of an object.
    const shown: JsonObject = {
      flags: row.flags,
      ...wireMessage(view.realm, row.id, row.sent_at, payload, content, rendering),
      ...(additions.get(row.id) ?? noAdditions),
      ...changeTimes(row),
      ...(edit_history === undefined ? {} : { edit_history }),
      ...matchOf?.(row),
    }
    return [isUnknown(row.sender_id) ? { ...shown, ...unknownSender(view.realm, payload.sender) } : shown]
  })
}
