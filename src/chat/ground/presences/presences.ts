/**
 * When people were last active and last connected: a part of the projection, though nearly no change of it is in the log.
 * The database has it a few seconds late (people/presence/presence-book.ts). The id of a change is the time in milliseconds at
 * which this process has learned it, above all that it knows: whoever has heard of all changes up to an id asks for what is newer.
 */
import * as Schema from "effect/Schema"
import { idSchemas, type UserId } from "../../../ids.ts"
import { projectionPart } from "../realm/projection-part.ts"
import { CachedPresenceLists } from "./cached-lists.ts"

/** Clients tell that they are there once in so many seconds. */
export const pingSeconds = 60
/** Whoever was not heard of for longer is offline: two pings may be lost. */
export const offlineSeconds = 200
/** A time that is no older than this stays: of several windows of somebody only one counts. */
const freshSeconds = 55

/** Unix seconds. */
export interface PresenceTimes {
  /** 0: never. */
  readonly active: number
  /** When a client of theirs was connected, active or not. */
  readonly connected: number
}

/** One as it is stored, or to be stored. */
export type PresenceChange = readonly [user: UserId, active: number, connected: number, id: number]

/** What the database does not have yet. */
export interface UnsavedPresences {
  readonly changes: ReadonlyArray<PresenceChange>
  /** People of whom nothing is known any more. */
  readonly gone: ReadonlyArray<UserId>
}

/** The clock may have been set back: then what is later than now is none either. */
const isFresh = (time: number, now: number): boolean => Math.abs(now - time) <= freshSeconds

const never: PresenceTimes = { active: 0, connected: 0 }

/** Whether others want to be told: they were offline or, now active, not active for as long. */
const isNews = (before: PresenceTimes, after: PresenceTimes): boolean =>
  after.connected - before.connected > offlineSeconds || after.active - before.active > offlineSeconds

export class Presences {
  /** By user. */
  #active = new Uint32Array(64)
  #connected = new Uint32Array(64)
  readonly lists = new CachedPresenceLists((user) => this.#connected[user] ?? 0)
  /** The id of the newest change. */
  #last = 0
  /** People whose change this process has to store. */
  readonly #unsaved = new Set<UserId>()
  /** People of whom nothing is known any more, and whose rows are still stored. */
  readonly #gone = new Set<UserId>()

  /** People of whom something is known. */
  get size(): number {
    return this.lists.changes.size
  }

  get last(): number {
    return this.#last
  }

  /** Lists have all changes up to this id. */
  get shown(): number {
    const { firstComing } = this.lists
    return firstComing === undefined ? this.#last : firstComing - 1
  }

  of(user: UserId): PresenceTimes | undefined {
    if (this.lists.changes.placeOf(user) < 0) return undefined
    return { active: this.#active[user] ?? 0, connected: this.#connected[user] ?? 0 }
  }

  /** Somebody is there; `now`: Unix milliseconds. Answers whether this is news to others. */
  ping(user: UserId, now: number, isActive: boolean): boolean {
    const known = this.of(user) ?? never
    const seconds = Math.floor(now / 1000)
    const isActiveAnew = isActive && !isFresh(known.active, seconds)
    if (!isActiveAnew && isFresh(known.connected, seconds)) return false
    const times = { active: isActiveAnew ? seconds : known.active, connected: seconds }
    this.#set(user, times, now)
    this.#unsaved.add(user)
    return isNews(known, times)
  }

  /** The same as another process has it, which stores it: what is newer counts. */
  hear(user: UserId, heard: PresenceTimes, now: number): boolean {
    const known = this.of(user) ?? never
    const times = {
      active: Math.max(known.active, heard.active),
      connected: Math.max(known.connected, heard.connected),
    }
    if (times.active === known.active && times.connected === known.connected) return false
    this.#set(user, times, now)
    return isNews(known, times)
  }

  /** A row of the log says so, and was made at `at`. Its table function has stored it. */
  turn(user: UserId, times: PresenceTimes, at: number): void {
    this.#set(user, times, at)
    this.lists.showAll()
  }

  /** Their account is deactivated: whoever comes back was never there. */
  leave(user: UserId): void {
    if (this.of(user) === undefined) return
    this.lists.remove(user)
    this.#unsaved.delete(user)
    this.#gone.add(user)
  }

  get hasUnsaved(): boolean {
    return this.#unsaved.size > 0 || this.#gone.size > 0
  }

  /** Takes out so many changes, and all who are gone: for whoever stores them, or puts them back. */
  takeUnsaved(most: number): UnsavedPresences {
    const changes: Array<PresenceChange> = []
    for (const user of this.#unsaved) {
      if (changes.length === most) break
      this.#unsaved.delete(user)
      const { active, connected } = this.of(user) ?? never
      changes.push([user, active, connected, this.lists.idOf(user)])
    }
    const gone = [...this.#gone]
    this.#gone.clear()
    return { changes, gone }
  }

  /** They could not be stored. */
  putBack({ changes, gone }: UnsavedPresences): void {
    for (const [user] of changes) if (this.of(user) !== undefined) this.#unsaved.add(user)
    for (const user of gone) if (this.of(user) === undefined) this.#gone.add(user)
  }

  /** Puts a page of what is stored into it, by rising ids. */
  load(page: ReadonlyArray<PresenceChange>): void {
    for (const [user, active, connected] of page) this.#note(user, { active, connected })
    this.lists.changes.merge(page.map(([user, , , id]) => [user, id]))
    this.#last = Math.max(this.#last, page.at(-1)?.[3] ?? 0)
  }

  /** `at`: Unix milliseconds. */
  #set(user: UserId, times: PresenceTimes, at: number): void {
    this.#note(user, times)
    this.#last = Math.max(this.#last + 1, Math.floor(at))
    this.#gone.delete(user)
    this.lists.put(user, this.#last)
  }

  #note(user: UserId, { active, connected }: PresenceTimes): void {
    if (user >= this.#active.length) {
      const [longerActive, longerConnected] = [new Uint32Array(2 * user), new Uint32Array(2 * user)]
      longerActive.set(this.#active)
      longerConnected.set(this.#connected)
      this.#active = longerActive
      this.#connected = longerConnected
    }
    this.#active[user] = active
    this.#connected[user] = connected
  }
}

export const presences = projectionPart({
  name: "presence",
  load: "load_presence_v2",
  stored: Schema.Struct({
    /** [user, active, connected, id], by rising ids */
    people: Schema.Array(Schema.Tuple([idSchemas.user, Schema.Number, Schema.Number, Schema.Number])),
    /** The last user that was looked at; null: there are no more. */
    last: Schema.NullOr(idSchemas.user),
  }),
  pageKey: ({ last }) => (last === null ? null : [last]),
  empty: () => new Presences(),
  fill: (all, { people }) => all.load(people),
  // The tables are a few seconds late, so that a part that was loaded says something else.
  plain: () => null,
})
