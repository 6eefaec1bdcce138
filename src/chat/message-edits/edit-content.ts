/**
 * Edits the content of a message (contract 3.6, 6.6): only its sender may, for some time after it was sent. The new
 * content is rendered and its mentions are gathered before the command, as for a send. Nobody's message is unread by it.
 */
import { createHash } from "node:crypto"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { Config } from "../../config.ts"
import { Reads } from "../../db/reads.ts"
import { type Caller, requesterKind, requesterName } from "../../endpoint.ts"
import { badRequest, expectationMismatch } from "../../errors.ts"
import { call, done, type Judgement, judged, type Reading } from "../../events/command.ts"
import { emptyUserSet, inSet, type UserSet, userSet } from "../../events/event.ts"
import { type MessageId, UserId } from "../../ids.ts"
import { WireAttachment } from "../attachments/attachment-event.ts"
import { FileClaims } from "../files/file-claims.ts"
import { Thumbnails } from "../files/thumbnails.ts"
import { mostShownEdits } from "../history/edit-history-store.ts"
import {
  besideOf,
  findMessagePlace,
  messageAudience,
  noMessage,
  readAboutMessage,
  requireReadable,
} from "../history/message-access.ts"
import type { MessagePlace } from "../history/message-access-store.ts"
import { linkedFileRow } from "../kinds/attachment-row.ts"
import { updateMessageRows } from "../kinds/update-message-row.ts"
import { partsOf } from "../markdown/parts.ts"
import { LinkedPages, type LinkingText } from "../markdown/previews/linked-pages.ts"
import { renderMessage } from "../markdown/render-message.ts"
import { fileLinks, readsChannel } from "../messages/file-links.ts"
import { gatherMarking, requireMarks } from "../messages/mentions.ts"
import { findParticipants } from "../messages/participants-store.ts"
import { readContent } from "../messages/send.ts"
import type { Realm } from "../realm/realm.ts"
import { Realms } from "../realm/realms.ts"
import type { UserRecord } from "../realm/records.ts"
import { fold } from "../realm/values.ts"
import { overtaken, submitWithRecord } from "../requester/submit.ts"
import { findMessageText, type MessageText } from "./message-text-store.ts"

/** Clients may be slow to send what was allowed when their user began. */
const graceSeconds = 20

const emptied = "(deleted)"

type Detached = ReadonlyArray<typeof WireAttachment.Type>
const readFiles = Schema.decodeUnknownSync(Schema.Struct({ detached: Schema.Array(WireAttachment) }))
const nothingRefused = readAboutMessage({})

/** The files of the editor that no message links any more; or the message is to be found again. */
const readDetached: Reading<Detached | typeof overtaken> = (outcome) => {
  const read = nothingRefused(outcome)
  if (read._tag === "Refused") return read
  return done(read.answer === undefined ? readFiles(outcome).detached : overtaken)
}

export interface ContentEdit {
  readonly message: MessageId
  readonly content: string
  /** The SHA-256 of the content that the client has edited, in hexadecimal digits. */
  readonly previous: string | undefined
}

interface Found {
  readonly place: MessagePlace | undefined
  readonly text: MessageText | undefined
}

const findEdited = Effect.fnUntraced(function* (caller: Caller, message: MessageId) {
  const place = yield* findMessagePlace(caller, message)
  const found: Found = { place, text: yield* findMessageText(caller, message) }
  return found
})

/** The message, if the user may edit its content now. */
const requireEditable = (realm: Realm, user: UserRecord, found: Found, { previous }: ContentEdit) =>
  Result.gen(function* () {
    const place = yield* requireReadable(realm, user, found.place)
    const { text } = found
    if (text === undefined) return yield* Result.fail(noMessage)
    const channel = place.channel_id === null ? undefined : realm.channels.get(place.channel_id)
    const { allow_message_editing: isAllowed, message_content_edit_limit_seconds: limit } = realm.settings
    if (!isAllowed) return yield* Result.fail(badRequest("Your organization has turned off message editing"))
    if (place.sender_id !== user.id || channel?.is_archived === true)
      return yield* Result.fail(badRequest("You don't have permission to edit this message"))
    if (text.is_widget) return yield* Result.fail(badRequest("Widgets cannot be edited."))
    if (limit !== null && realm.now() - text.sent_at > (limit + graceSeconds) * 1000)
      return yield* Result.fail(badRequest("The time limit for editing this message has passed"))
    if (previous !== undefined && previous.toLowerCase() !== createHash("sha256").update(text.content).digest("hex"))
      return yield* Result.fail(expectationMismatch("prev_content_sha256"))
    return { place, text, channel }
  })

/** Those who hold the message now, and so are whom its content may mention. */
const holdersOf = (realm: Realm, { channel_id, channel_since, member_key }: MessagePlace): UserSet => {
  const channel = channel_id === null ? undefined : realm.channels.get(channel_id)
  if (channel === undefined) return userSet((member_key ?? "").split(",").map(Number))
  const since = channel_since ?? 0
  return realm.holders(channel.id, since, since, channel.history_shared)
}

const gather = Effect.fnUntraced(function* (caller: Caller, realm: Realm, { place, text }: Found, content: string) {
  const { html: rendered, mentions, linking } = yield* renderMessage(caller, content)
  const reading = (yield* Reads).begin(requesterName(caller), requesterKind(caller))
  const participants =
    place === undefined || text === undefined || place.channel_id === null || !mentions.topicWildcard
      ? emptyUserSet
      : yield* findParticipants(reading, realm.id, place.channel_id, fold(text.topic))
  const holders = place === undefined ? emptyUserSet : holdersOf(realm, place)
  const everybody = userSet([...participants, caller.user])
  const files = yield* (yield* FileClaims).find(caller, rendered)
  return { rendered, linking, files, marking: yield* gatherMarking(realm, { content, mentions }, holders, everybody) }
})

/** Of an edit that is to follow another change in the same request: whether it would be refused now. */
export const requireEdit = Effect.fnUntraced(function* (caller: Caller, edit: ContentEdit) {
  const { realm } = yield* (yield* Realms).get(caller.realm)
  const user = realm.users.get(UserId(caller.user))
  const found = yield* findEdited(caller, edit.message)
  if (user === undefined) return yield* noMessage
  yield* Effect.fromResult(requireEditable(realm, user, found, edit))
})

const readEdited = (raw: string, limits: Parameters<typeof readContent>[1]): string =>
  Result.getOrElse(readContent(raw, limits), () => emptied)

/** Answers, when the message has the new content, the requester's files that no message links any more. */
export const editContent = Effect.fnUntraced(function* (caller: Caller, edit: ContentEdit) {
  const { limits } = yield* Config
  const { realm } = yield* (yield* Realms).get(caller.realm)
  const raw = readEdited(edit.content, limits)
  // Rendering and reading a topic are for those who may edit.
  yield* requireEdit(caller, edit)
  const made: { linking: LinkingText | null; rendered: string } = { linking: null, rendered: "" }
  const read = Effect.gen(function* () {
    const found = yield* findEdited(caller, edit.message)
    const gathered = yield* gather(caller, realm, found, raw)
    made.linking = gathered.linking
    made.rendered = gathered.rendered
    return { found, gathered }
  })
  const detached = yield* submitWithRecord(
    caller,
    read,
    ({ found, gathered }, now, user): Judgement<Detached | typeof overtaken> => {
      const checked = Result.gen(function* () {
        const { place, text, channel } = yield* requireEditable(now, user, found, edit)
        const holders = holdersOf(now, place)
        const { marks } = yield* requireMarks(now, user, channel ?? null, holders, gathered.marking)
        return { place, text, channel, holders, marks: marks.marks ?? {} }
      })
      return judged(checked, ({ place, text, channel, holders, marks }): Judgement<Detached | typeof overtaken> => {
        if (text.content === raw && text.rendered === gathered.rendered) return done([])
        const content = { raw, rendered: gathered.rendered, orig_raw: text.content, orig_rendered: text.rendered }
        const payload = {
          user_id: user.id,
          message_id: edit.message,
          messages: { channel_id: place.channel_id, held_by: "receivers", ids: [edit.message] },
          flags: {},
          ...(channel === undefined ? {} : { channel: { id: channel.id, name: channel.name } }),
          content,
        } as const
        const { mentioned = [], ...others } = marks
        const args = {
          row: updateMessageRows.change(payload, messageAudience(now, place), { beside: besideOf(place) }),
          content,
          marks: others,
          named: mentioned,
          parts: partsOf(gathered.rendered),
          editor_id: user.id,
          most_edits: mostShownEdits,
          files: [],
          file_row: linkedFileRow,
          ...fileLinks(gathered.files, (owner) =>
            channel === undefined ? inSet(holders, owner) : readsChannel(now, channel, owner),
          ),
        }
        return call("edit_messages_v1", args, false, readDetached)
      })
    },
  )
  const { linking, rendered } = made
  ;(yield* Thumbnails).note(caller.realm, edit.message, rendered)
  if (linking !== null) (yield* LinkedPages).note(caller.realm, caller.user, edit.message, linking)
  return detached
})
