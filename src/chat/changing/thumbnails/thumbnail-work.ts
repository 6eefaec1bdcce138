/**
 * Makes thumbnails beside everything else, from a list in the database (`thumbnail_work`), so that a crash loses none: one
 * picture at a time, of each organization and of each of its users in turn. A message that was sent before shows the
 * picture as not there yet, and is shown anew then. A picture stays in the list for a while after that, because a message that
 * was rendered before may be committed later. Several processes work on one list: each picture is claimed by one of them.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Clock } from "../../../clock.ts"
import { Database } from "../../../db/database.ts"
import type { UserReads } from "../../../db/reads.ts"
import { Refusals } from "../../../fairness/refusals.ts"
import type { RealmId } from "../../../ids.ts"
import { periodic } from "../../../jobs/job.ts"
import { Jobs } from "../../../jobs/jobs.ts"
import { pause, whileRenewing } from "../../../jobs/waits.ts"
import { Files } from "../../ground/files/files.ts"
import { type PictureFile, Thumbnails } from "../../ground/files/thumbnails.ts"
import { Pictures } from "../../ground/images/process/uploaded-pictures.ts"
import type { Realms } from "../../ground/realm/realms.ts"
import { storedName, thumbnailName } from "../../reading/attachments/file-names.ts"
import { pendingPaths } from "../../text/markdown/previews/preview-html.ts"
import { showLinking, showMessage } from "./show-thumbnails.ts"
import { ThumbnailWaiters } from "./thumbnail-waiters.ts"
import {
  claimPicture,
  endWork,
  findMadeBefore,
  findRealmsWithWork,
  findUnmade,
  isMade,
  noteMade,
  noteNoPicture,
  wantAgain,
} from "./thumbnails-store.ts"

/** Most pictures that fail in one round: where the disk is full each would be decoded for nothing. */
const mostFailures = 10
/** Milliseconds after which another process makes the thumbnails that a killed one had begun to make. Renewed meanwhile. */
const claimMilliseconds = 30_000
/** Milliseconds between two looks whether another process has made them. */
const othersMilliseconds = 1000
/** Milliseconds between two looks for what a fault of the database left undone. */
const lookMilliseconds = 60_000
/** A message that was rendered before its picture's thumbnails were made is committed by then. */
const settledMilliseconds = 60_000

const make = Effect.gen(function* () {
  const clock = yield* Clock
  const database = yield* Database
  const files = yield* Files
  const pictures = yield* Pictures
  const { cluster } = database
  const waiters = new ThumbnailWaiters(clock, yield* Refusals)
  const services = yield* Effect.context<Realms | UserReads | Database>()
  const inBackground = yield* (yield* Jobs).inBackground<Realms | UserReads | Database>("thumbnails")
  /** Organizations whose list is worked on; true: it has become longer meanwhile. */
  const working = new Map<RealmId, boolean>()

  const storeThumbnails = Effect.fnUntraced(function* (realm: RealmId, id: number, path: string) {
    const stored = storedName(realm, path)
    const file = stored === null ? Effect.succeed(null) : files.find(stored)
    const made = yield* pictures.shrink(`realm ${realm}`, file)
    if (made === null) return void (yield* noteNoPicture(database, realm, id, clock.now()))
    const names = made.map(({ format, bytes }) => ({ name: thumbnailName(realm, path, format), bytes }))
    for (const { name, bytes } of names) if (name !== null) yield* files.put(name, bytes)
    if (yield* noteMade(database, realm, id, clock.now())) return
    // The file was deleted meanwhile.
    for (const { name } of names) if (name !== null) yield* files.remove(name)
  })

  const workOn = Effect.fnUntraced(function* (realm: RealmId, { id, path }: { id: number; path: string }) {
    yield* storeThumbnails(realm, id, path)
    yield* showLinking(realm, id)
    waiters.wake(realm, id)
  })

  const claim = (realm: RealmId, id: number) => {
    if (cluster === undefined) return Effect.succeed(true)
    const now = clock.now()
    return claimPicture(database, realm, id, { process: cluster.process, now, until: now + claimMilliseconds })
  }

  /** One that fails keeps none of the others waiting: it is left for the next look, and so are all where many fail. */
  const workOnList = Effect.fnUntraced(function* (realm: RealmId) {
    const failed = new Set<number>()
    /** Those that another process works on, too. */
    const passed = new Set<number>()
    const tryOn = (picture: { id: number; path: string }) =>
      Effect.gen(function* () {
        const own = Effect.suspend(() => claim(realm, picture.id))
        if (!(yield* own)) passed.add(picture.id)
        else if (cluster === undefined) yield* workOn(realm, picture)
        else yield* whileRenewing(clock, claimMilliseconds, own, workOn(realm, picture))
      }).pipe(
        Effect.catchCause((cause) => {
          failed.add(picture.id)
          passed.add(picture.id)
          return Effect.logError("a picture's thumbnails", cause)
        }),
      )
    while (working.get(realm) === true) {
      working.set(realm, false)
      for (let owner = 0; failed.size < mostFailures; ) {
        const unmade = yield* findUnmade(database, realm, owner, passed)
        for (const picture of unmade) yield* tryOn(picture)
        const last = unmade.at(-1)
        if (last === undefined && owner === 0) break
        // After the last user comes the first again.
        owner = last?.owner ?? 0
      }
    }
  })

  const begin = (realm: RealmId): void => {
    const isWorking = working.has(realm)
    working.set(realm, true)
    if (isWorking) return
    const end = Effect.sync(() => void working.delete(realm))
    inBackground(Effect.ensuring(workOnList(realm), end))
  }

  const look = Effect.gen(function* () {
    for (const realm of yield* findRealmsWithWork(database)) {
      begin(realm)
      const before = clock.now() - settledMilliseconds
      for (let made = yield* findMadeBefore(database, realm, before); made.length > 0; ) {
        for (const { id } of made) {
          yield* showLinking(realm, id)
          yield* endWork(database, realm, id)
        }
        made = yield* findMadeBefore(database, realm, before)
      }
    }
  })

  /** Another process may have been at it before, and does not say when it has ended. */
  const untilMade = Effect.fnUntraced(function* (realm: RealmId, id: number) {
    do yield* pause(clock, othersMilliseconds)
    while (!(yield* isMade(database, realm, id)))
  })

  const find = Effect.fnUntraced(function* (realm: RealmId, { id, path }: PictureFile, format: string) {
    const name = thumbnailName(realm, path, format)
    if (name === null) return null
    const found = yield* files.find(name)
    if (found !== null) return found
    const want = Effect.andThen(
      wantAgain(database, realm, id),
      Effect.sync(() => begin(realm)),
    )
    const worked = waiters.wait(realm, id)
    // The waiter is noted before the work begins, which may be over at once.
    yield* cluster === undefined
      ? Effect.all([worked, want], { concurrency: 2, discard: true })
      : Effect.raceFirst(worked, Effect.andThen(want, untilMade(realm, id)))
    return yield* files.find(name)
  })

  const note: Thumbnails["Service"]["note"] = (realm, message, html) => {
    if (pendingPaths(html).size > 0) inBackground(showMessage(realm, message))
  }
  return { look: Effect.provide(look, services), begin, note, find }
})

export const thumbnails = Layer.effect(Thumbnails, make)

export const thumbnailsJob = periodic({
  name: "thumbnails",
  everyMilliseconds: lookMilliseconds,
  isAtStart: true,
  run: Thumbnails.use(({ look }) => look),
})
