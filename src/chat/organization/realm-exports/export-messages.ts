/**
 * The messages of an export, in the order of their ids, page by page: which of a page are exported, then these as clients
 * read them, with what their senders typed and its HTML, and the files that they link. Each is as it was when its page was
 * read; one that was sent after the export began is not in it.
 */
import * as Effect from "effect/Effect"
import { type UserRead, UserReads } from "../../../db/reads.ts"
import type { ChannelId } from "../../../ids.ts"
import type { JsonObject } from "../../../json.ts"
import { forEachInSlices, nextSlice } from "../../../slices.ts"
import { unixSeconds } from "../../ground/realm/domain-values.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import { waitForPosition } from "../../ground/realm/realms.ts"
import type { UserRecord } from "../../ground/realm/records.ts"
import { loadableParts, loadMessages } from "../../reading/history/messages-by-id-store.ts"
import { allHeld } from "../../reading/history/narrows/narrow.ts"
import { findDetails, type ReaderView, toWire } from "../../reading/history/shown-messages.ts"
import type { MessageJudge } from "../../reading/history/walk/search-conditions-store.ts"
import type { SearchCandidate } from "../../reading/history/walk/search-walk.ts"
import { prepareTopicLinks } from "../../text/markdown/topic-links.ts"
import {
  type ExportedFile,
  findHolders,
  findLinked,
  findPage,
  holdersAtOnce,
  messagesAtOnce,
  type PlacedMessage,
} from "./export-messages-store.ts"
import { type ExportScope, type ExportWitnesses, findParticipant, isNamed } from "./export-scope.ts"

/** What an export is made of. */
export interface ExportSource {
  readonly realm: Realm
  readonly scope: ExportScope
  readonly witnesses: ExportWitnesses
  /** Who has wanted it: people's names and addresses are as they see them. */
  readonly actor: UserRecord
}

/** Messages of one statement or a few, which is some 256 KB at most, or one message. */
export interface ExportedPart {
  /** Each as a JSON text. */
  readonly messages: ReadonlyArray<string>
  /** Of all of these. */
  readonly characters: number
  readonly files: ReadonlyArray<ExportedFile>
}

const readerOf = ({ id }: Realm): string => `export of realm ${id}`

/** What is read anew where it fails, because the database was busy, before all that was read already is given up. */
const again = <A, E, R>(look: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => Effect.retry(look, { times: 2 })

/**
 * Those of a page that somebody who allows it holds, in a channel without a shared history. They may be thousands, so some are
 * asked for at a time, each time by a reading of its own.
 */
const findHeld = Effect.fnUntraced(function* (
  { realm, scope, witnesses }: ExportSource,
  channel: ChannelId,
  ids: ReadonlyArray<number>,
) {
  const reads = yield* UserReads
  const left = new Set(ids)
  const people = witnesses.inOrder(channel, scope.held.get(channel) ?? [])
  for (let from = 0; from < people.length && left.size > 0; from += holdersAtOnce.people) {
    const some = people.slice(from, from + holdersAtOnce.people)
    const asked = [...left]
    for (let at = 0; at < asked.length; at += holdersAtOnce.messages) {
      const messages = asked.slice(at, at + holdersAtOnce.messages)
      const look = Effect.suspend(() => findHolders(reads.begin(readerOf(realm)), realm.id, channel, some, messages))
      for (const { message_id, user_id } of yield* again(look)) {
        left.delete(message_id)
        witnesses.add(channel, user_id)
      }
    }
  }
  return ids.filter((id) => !left.has(id))
})

/** The messages of a page that are exported. */
const choose = Effect.fnUntraced(function* (exporting: ExportSource, page: ReadonlyArray<PlacedMessage>) {
  const { scope, witnesses } = exporting
  const apart = new Map<ChannelId, Array<number>>()
  const chosen = new Set<number>()
  for (const { id, channel_id, member_key } of page) {
    if (channel_id === null) {
      const participant = findParticipant(scope, member_key ?? "")
      if (participant === undefined) continue
      witnesses.people.add(participant)
      chosen.add(id)
    } else if (scope.whole.has(channel_id)) chosen.add(id)
    else if (scope.held.has(channel_id)) apart.set(channel_id, [...(apart.get(channel_id) ?? []), id])
  }
  for (const [channel, ids] of apart) for (const id of yield* findHeld(exporting, channel, ids)) chosen.add(id)
  return page.filter(({ id }) => chosen.has(id))
})

/**
 * Judges what was chosen when it is loaded. One that was moved since then is judged by its channel alone: into one of which
 * not all is exported, it is left out.
 */
const judgeOf = ({ realm, scope }: ExportSource): MessageJudge => ({
  realm,
  mayRead: (channel, isAsChosen) =>
    channel === null ? isAsChosen : scope.whole.has(channel) || (isAsChosen && scope.held.has(channel)),
})

/** Topics and channels that a message had in a place that is not exported are not said. */
const viewOf = (exporting: ExportSource, judge: MessageJudge): ReaderView => {
  const { realm, scope, witnesses, actor } = exporting
  const reads = (channel: ChannelId): boolean => {
    if (!scope.whole.has(channel)) return false
    witnesses.take(channel)
    return true
  }
  return {
    realm,
    user: actor,
    scope: (narrow) => ({ realm: realm.id, user: null, head: realm.position, narrow, judge }),
    visibility: { knows: (channel) => isNamed(scope, channel), reads },
  }
}

const exportRendering = { rendered: false, gravatar: false, emptyTopicName: true }

const loadPart = Effect.fnUntraced(function* (
  reading: UserRead,
  exporting: ExportSource,
  chosen: ReadonlyArray<SearchCandidate>,
) {
  const { realm } = exporting
  const judge = judgeOf(exporting)
  const view = viewOf(exporting, judge)
  const scope = view.scope(allHeld)
  const rows = yield* loadMessages(reading, scope, chosen, judge, "both")
  for (const { channel_id } of rows)
    if (channel_id !== null && exporting.scope.whole.has(channel_id)) exporting.witnesses.take(channel_id)
  const details = yield* findDetails(reading, scope, rows, view, exportRendering)
  const files = yield* findLinked(
    reading,
    realm.id,
    rows.map(({ id }) => id),
  )
  yield* prepareTopicLinks(realm, new Set(rows.map(({ topic }) => topic)))
  yield* nextSlice
  const html = new Map<unknown, string>(rows.map(({ id, rendered }) => [id, rendered]))
  const write = ({ flags: _ofNobody, ...message }: JsonObject): string =>
    JSON.stringify({ ...message, rendered_content: html.get(message["id"]) ?? "" })
  const messages: Array<string> = []
  yield* forEachInSlices(toWire(view, rows, details, exportRendering), (message) => void messages.push(write(message)))
  const part: ExportedPart = { messages, characters: messages.reduce((sum, { length }) => sum + length, 0), files }
  return part
})

/** Calls `take` with all messages that are exported, up to the id `last`, some at a time. */
export const forEachPart = Effect.fnUntraced(function* <E, R>(
  exporting: ExportSource,
  last: number,
  take: (part: ExportedPart) => Effect.Effect<void, E, R>,
) {
  const { realm } = exporting
  const reads = yield* UserReads
  for (let after = 0; ; ) {
    const from = after
    const page = yield* again(Effect.suspend(() => findPage(reads.begin(readerOf(realm)), realm.id, from, last)))
    const newest = page.at(-1)
    if (newest === undefined) return
    yield* waitForPosition(
      realm,
      page.reduce((position, { id, since }) => Math.max(position, id, since), 0),
    )
    const chosen = yield* choose(exporting, page)
    // A reading of its own for each: what is done with the one before takes as long as its files.
    for (const part of loadableParts(chosen)) {
      const load = Effect.suspend(() => loadPart(reads.begin(readerOf(realm)), exporting, part))
      yield* take(yield* again(load))
    }
    if (page.length < messagesAtOnce) return
    after = newest.id
  }
})

/** A file as the export lists it. `file`: its entry in the archive, null where its bytes are gone. */
export const wireFile = (linked: ExportedFile, file: string | null): JsonObject => ({
  id: linked.id,
  message_id: linked.message_id,
  user_id: linked.owner_id,
  name: linked.name,
  path_id: linked.path_id,
  size: linked.size,
  content_type: linked.content_type,
  create_time: unixSeconds(linked.created_at),
  file,
})
