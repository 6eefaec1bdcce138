/**
 * Edits the content of a message: only its sender may, for some time after it was sent. The new content is rendered and
 * its mentions are gathered before the command, as for a send. Nobody's message is unread by it.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { type Caller, requesterKind, requesterName } from "../../../api/endpoint.ts"
import { badRequest } from "../../../api/errors.ts"
import { Config, type Limits } from "../../../config/config.ts"
import { type Conflict, conflict } from "../../../conflict.ts"
import { UserReads } from "../../../db/reads.ts"
import { call, done, type Judgement, judgementOf, type OutcomeReader } from "../../../events/command.ts"
import { emptyUserSet, inSet, type UserSet, userSet } from "../../../events/event.ts"
import { type MessageId, UserId } from "../../../ids.ts"
import { FileClaims } from "../../ground/files/file-claims.ts"
import { Thumbnails } from "../../ground/files/thumbnails.ts"
import { linkedFileRow } from "../../ground/kinds/attachment-row.ts"
import { updateMessageRows } from "../../ground/kinds/update-message-row.ts"
import { privacyAtRow } from "../../ground/permissions/channel-visibility.ts"
import { fold } from "../../ground/realm/domain-values.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import { Realms } from "../../ground/realm/realms.ts"
import type { UserRecord } from "../../ground/realm/records.ts"
import { submitWithRecord } from "../../ground/requester/submit.ts"
import { WireAttachment } from "../../reading/attachments/attachment-event.ts"
import {
  accessData,
  graceSeconds,
  messageAudience,
  noMessage,
  readAboutMessage,
  requireReadable,
} from "../../reading/history/message-access.ts"
import type { MessageAccess } from "../../reading/history/message-access-store.ts"
import { mostShownEdits } from "../../reading/history/walk/message-size-store.ts"
import { fileLinks, readsChannel } from "../../sending/messages/file-links.ts"
import { gatherMarkCandidates, judgeMarks } from "../../sending/messages/mark-candidates.ts"
import { findParticipants } from "../../sending/messages/participants-store.ts"
import { readContent } from "../../sending/messages/prepare-send.ts"
import { contentKindsOf } from "../../text/markdown/content-kinds.ts"
import type { Mentions } from "../../text/markdown/context/rendered.ts"
import { LinkedPages } from "../../text/markdown/previews/linked-pages.ts"
import { renderMessage } from "../../text/markdown/render-message.ts"
import { isThere, type MoveRequest, moveMessages } from "../message-moves/move-messages.ts"
import type { NewContent } from "../message-moves/move-steps.ts"
import { requireExpected } from "./expected-content.ts"
import { type FoundMessage, findMessageWithText } from "./found-message.ts"
import { findOtherHolders } from "./message-text-store.ts"

const emptied = "(deleted)"

type DetachedFiles = ReadonlyArray<typeof WireAttachment.Type>
const readFiles = Schema.decodeUnknownSync(Schema.Struct({ detached: Schema.Array(WireAttachment) }))
const nothingRefused = readAboutMessage({})

/** The files of the editor that no message links any more; or the message is to be found again. */
const readDetached: OutcomeReader<DetachedFiles | Conflict> = (outcome) => {
  const read = nothingRefused(outcome)
  if (read._tag === "Refused") return read
  return done(read.answer === undefined ? readFiles(outcome).detached : conflict)
}

export interface ContentEdit {
  readonly message: MessageId
  readonly content: string
  /** The SHA-256 of the content that the client has edited, in hexadecimal digits. */
  readonly previous: string | undefined
}

/** The message, if the user may edit its content now. */
export const requireEditable = (realm: Realm, user: UserRecord, found: FoundMessage, { previous }: ContentEdit) =>
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
    yield* requireExpected(text, previous)
    return { place, text, channel }
  })

/** Those who have received the message and may read it, and who may because they are in its channel now. */
export const holdersOf = (realm: Realm, { channel_id, channel_since, member_key }: MessageAccess): UserSet => {
  const channel = channel_id === null ? undefined : realm.channels.get(channel_id)
  if (channel === undefined) return userSet((member_key ?? "").split(",").map(Number))
  const since = channel_since ?? 0
  return realm.holders(channel.id, since, since, privacyAtRow(channel))
}

/**
 * The users whom the content may mark: those who have received the message, or hold it by a row of their own
 * (`others`). Whoever may read it otherwise, being in its channel now, gets a row if it names them.
 */
const marked = (realm: Realm, place: MessageAccess, others: ReadonlyArray<UserId>, { users }: Mentions): UserSet => {
  const { channel_id, channel_since } = place
  const holders = holdersOf(realm, place)
  if (channel_id === null || channel_since === null) return holders
  const received = realm.subscriptions.receivers(channel_id, channel_since)
  return userSet([...received, ...others, ...users.filter((user) => inSet(holders, user))])
}

const gather = Effect.fnUntraced(function* (
  caller: Caller,
  realm: Realm,
  { place, text }: FoundMessage,
  content: string,
) {
  const { html: rendered, mentions, linking } = yield* renderMessage(caller, content)
  const reading = (yield* UserReads).begin(requesterName(caller), requesterKind(caller))
  const participants =
    place === undefined || text === undefined || place.channel_id === null || !mentions.topicWildcard
      ? emptyUserSet
      : yield* findParticipants(reading, realm.id, place.channel_id, fold(text.topic))
  const others = place === undefined ? [] : yield* findOtherHolders(caller, place.id)
  const receivers = place === undefined ? emptyUserSet : marked(realm, place, others, mentions)
  const everybody = userSet([...participants, caller.user])
  const files = yield* (yield* FileClaims).find(caller, rendered)
  const marking = yield* gatherMarkCandidates(realm, { content, mentions }, receivers, everybody)
  return { rendered, linking, files, marking, others }
})

/** Refuses what may not be edited now, whatever the new content is. */
const requireEdit = Effect.fnUntraced(function* (caller: Caller, edit: ContentEdit) {
  const { realm } = yield* (yield* Realms).get(caller.realm)
  const user = realm.users.get(UserId(caller.user))
  const found = yield* findMessageWithText(caller, edit.message)
  if (user === undefined) return yield* noMessage
  yield* Effect.fromResult(requireEditable(realm, user, found, edit))
})

const readEdited = (raw: string, limits: Limits): string => Result.getOrElse(readContent(raw, limits), () => emptied)

/** The new content, rendered and with the users whom it may mark, and the message as it was found for that. */
const prepare = Effect.fnUntraced(function* (caller: Caller, edit: ContentEdit) {
  const { limits } = yield* Config
  const { realm } = yield* (yield* Realms).get(caller.realm)
  const raw = readEdited(edit.content, limits)
  const found = yield* findMessageWithText(caller, edit.message)
  return { raw, found, gathered: yield* gather(caller, realm, found, raw) }
})
type PreparedEdit = Effect.Success<ReturnType<typeof prepare>>

/** The new content as change_content_v2 takes it, with its files. Also where the message has it already: clients await the event. */
const judgeEdit = (realm: Realm, user: UserRecord, edit: ContentEdit, { raw, found, gathered }: PreparedEdit) =>
  Result.gen(function* () {
    const { place, text, channel } = yield* requireEditable(realm, user, found, edit)
    const holders = holdersOf(realm, place)
    const { marking, others } = gathered
    const receivers = marked(realm, place, others, marking.mentions)
    const { marks } = yield* judgeMarks(realm, user, channel ?? null, receivers, marking, holders.length)
    const { mentioned = [], ...further } = marks ?? {}
    const changed: NewContent = {
      content: { raw, rendered: gathered.rendered, orig_raw: text.content, orig_rendered: text.rendered },
      marks: further,
      named: mentioned,
      others,
      parts: contentKindsOf(gathered.rendered),
      files: [],
      file_row: linkedFileRow,
      ...fileLinks(gathered.files, (owner) =>
        channel === undefined ? inSet(holders, owner) : readsChannel(realm, channel, owner),
      ),
    }
    return { place, channel, changed }
  })

/** Has looked up after the edit what its newest preparation links. */
const noteLinks = Effect.fnUntraced(function* (caller: Caller, message: MessageId, newest: PreparedEdit | undefined) {
  if (newest === undefined) return
  const { linking, rendered } = newest.gathered
  ;(yield* Thumbnails).note(caller.realm, message, rendered)
  if (linking !== null) (yield* LinkedPages).note(caller.realm, caller.user, message, linking)
})

/** Answers, when the message has the new content, the requester's files that no message links any more. */
export const editContent = Effect.fnUntraced(function* (caller: Caller, edit: ContentEdit) {
  // Rendering and reading a topic are for those who may edit.
  yield* requireEdit(caller, edit)
  let newest: PreparedEdit | undefined
  const read = Effect.tap(prepare(caller, edit), (prepared) =>
    Effect.sync(() => {
      newest = prepared
    }),
  )
  const detached = yield* submitWithRecord(
    caller,
    read,
    (prepared, now, user): Judgement<DetachedFiles | Conflict> =>
      judgementOf(
        judgeEdit(now, user, edit, prepared),
        ({ place, channel, changed }): Judgement<DetachedFiles | Conflict> => {
          const payload = {
            user_id: user.id,
            message_id: edit.message,
            messages: { channel_id: place.channel_id, held_by: "receivers", ids: [edit.message] },
            flags: {},
            ...(channel === undefined ? {} : { channel: { id: channel.id, name: channel.name } }),
            content: changed.content,
          } as const
          const args = {
            row: updateMessageRows.change(payload, messageAudience(now, place), { sideData: accessData(now, place) }),
            editor_id: user.id,
            most_edits: mostShownEdits,
            ...changed,
          }
          return call("edit_messages_v1", args, false, readDetached)
        },
      ),
  )
  yield* noteLinks(caller, edit.message, newest)
  return detached
})

/**
 * Edits a message and moves it, with others maybe, in one commit: if either is refused, neither is done. Answers as
 * `editContent`.
 */
export const editAndMove = Effect.fnUntraced(function* (caller: Caller, edit: ContentEdit, request: MoveRequest) {
  yield* requireEdit(caller, edit)
  let newest: PreparedEdit | undefined
  const content = Effect.map(prepare(caller, edit), (prepared) => {
    newest = prepared
    return (realm: Realm, user: UserRecord) =>
      Result.map(judgeEdit(realm, user, edit, prepared), ({ changed }) => ({
        was: changed.content,
        others: changed.others,
        edit: changed,
      }))
  })
  const answer = yield* moveMessages(caller, request, content)
  // The message is already in the topic that the request names: nothing is left but the edit.
  if (answer === isThere) return yield* editContent(caller, edit)
  yield* noteLinks(caller, edit.message, newest)
  return readFiles(answer).detached
})
