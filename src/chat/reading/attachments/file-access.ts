/**
 * The readers of an uploaded file: its owner, and whoever may read a message that links it, visitors of web-public
 * channels too. To all others it is exactly like one that does not exist, and is looked for as long.
 */
import * as Effect from "effect/Effect"
import { type Caller, requesterKind, requesterName, type Visitor } from "../../../api/endpoint.ts"
import { type UserRead, UserReads } from "../../../db/reads.ts"
import { type RealmId, UserId } from "../../../ids.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import { Realms, waitForPosition } from "../../ground/realm/realms.ts"
import type { UserRecord } from "../../ground/realm/records.ts"
import { admitsVisitors, requireReader } from "../../ground/requester/requester.ts"
import { judgeFor } from "../history/message-access.ts"
import type { WireAttachment } from "./attachment-event.ts"
import {
  type AttachmentRecord,
  findById,
  findByPaths,
  findLinking,
  findLinks,
  linksAtOnce,
} from "./attachments-store.ts"

/** Nobody has this id: what a visitor holds is nothing. */
const nobody = UserId(0)
/** Above every message, and exact as a number. */
const newest = Number.MAX_SAFE_INTEGER
/** No file has this id. */
const noFile = 0

type Link = Effect.Success<ReturnType<typeof findLinks>>[number]

const mayRead = (realm: Realm, user: UserRecord | null, { channel_id, held }: Link): boolean =>
  judgeFor(realm, user).mayRead(channel_id, held)

/** A message that was moved a moment ago is judged by rules that know of the move. */
const reachAll = (realm: Realm, links: ReadonlyArray<Link>) =>
  waitForPosition(
    realm,
    links.reduce((newest, { since }) => Math.max(newest, since), 0),
  )

const readsLink = Effect.fnUntraced(function* (
  reading: UserRead,
  realm: Realm,
  user: UserRecord | null,
  attachment: number,
) {
  const scope = { realm: realm.id, user: user?.id ?? nobody }
  for (let before = newest; ; ) {
    const links = yield* findLinks(reading, scope, attachment, before)
    yield* reachAll(realm, links)
    if (links.some((link) => mayRead(realm, user, link))) return true
    const last = links.at(-1)
    if (last === undefined || links.length < linksAtOnce) return false
    before = last.message_id
  }
})

/** The user's files without the messages that they may not read any more. */
export const withReadable = Effect.fnUntraced(function* (
  reading: UserRead,
  realm: Realm,
  user: UserRecord,
  files: ReadonlyArray<typeof WireAttachment.Type>,
) {
  const scope = { realm: realm.id, user: user.id }
  const ids = [...new Set(files.flatMap(({ messages }) => messages.map(({ id }) => id)))]
  const readable = new Set<number>()
  for (let at = 0; at < ids.length; at += linksAtOnce) {
    const links = yield* findLinking(reading, scope, ids.slice(at, at + linksAtOnce))
    yield* reachAll(realm, links)
    for (const link of links) if (mayRead(realm, user, link)) readable.add(link.message_id)
  }
  return files.map((file) => ({ ...file, messages: file.messages.filter(({ id }) => readable.has(id)) }))
})

/** The file, if there is one and the reader may read it; else null. */
const ifReadable = Effect.fnUntraced(function* (
  reading: UserRead,
  realm: Realm,
  user: UserRecord | null,
  file: AttachmentRecord | undefined,
) {
  const isLinked = yield* readsLink(reading, realm, user, file?.id ?? noFile)
  return file !== undefined && (isLinked || file.owner_id === user?.id) ? file : null
})

/** The file at a path, what follows `/user_uploads/` in its address, if the requester may read it; else null. */
export const findFileFor = Effect.fnUntraced(function* (who: Caller | Visitor, path: string) {
  const { realm, user } = yield* requireReader(who)
  const reading = (yield* UserReads).begin(requesterName(who), requesterKind(who))
  const [file] = yield* findByPaths(reading, realm.id, [path])
  return { realm, user, file: yield* ifReadable(reading, realm, user, file) }
})

/** The file of an address that was given to a reader, for whoever has that address: as long as its maker may read the file. */
export const findGivenFile = Effect.fnUntraced(function* (
  who: Caller | Visitor,
  of: RealmId,
  { id, maker }: { readonly id: number; readonly maker: UserId | null },
) {
  const { realm } = yield* (yield* Realms).get(of)
  const user = maker === null ? null : realm.users.get(maker)
  const isAdmitted = user === null ? yield* admitsVisitors(realm) : user !== undefined && realm.isActive(user.id)
  if (user === undefined || !isAdmitted || realm.isDeactivated) return null
  const reading = (yield* UserReads).begin(requesterName(who), requesterKind(who))
  return yield* ifReadable(reading, realm, user, yield* findById(reading, realm.id, id))
})

/** Those of the files at these paths that the user may read. */
export const findReadableFiles = Effect.fnUntraced(function* (
  reading: UserRead,
  realm: Realm,
  user: UserRecord,
  paths: ReadonlyArray<string>,
) {
  const readable: Array<AttachmentRecord> = []
  for (const file of yield* findByPaths(reading, realm.id, paths))
    if (file.owner_id === user.id || (yield* readsLink(reading, realm, user, file.id))) readable.push(file)
  return readable
})
