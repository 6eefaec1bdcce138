/**
 * When people were last active and last connected: a part of the projection, though nearly no change of it is in the log.
 * The database has it a few seconds late (people/presence/presence-book.ts). Each change gets the next id, and whoever has heard
 * of all changes up to an id asks for what is newer. An id is given only if the database knows that it may have been: so a
 * server that was killed begins above all that it had given, and no client ever waits for ids that it knows already.
 */
import * as Schema from "effect/Schema"
import { idSchemas, UserId } from "../../../ids.ts"
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

/** One that has not been stored yet. */
export type PresenceChange = readonly [user: UserId, active: number, connected: number, id: number]

/** The clock may have been set back: then what is later than now is none either. */
const isFresh = (time: number, now: number): boolean => Math.abs(now - time) <= freshSeconds

export class Presences {
  /** By user. */
  #active = new Uint32Array(64)
  #connected = new Uint32Array(64)
  readonly lists = new CachedPresenceLists((user) => this.#connected[user] ?? 0)
  /** The greatest id that was given, or that an earlier server may have given. */
  #last = 0
  /** The greatest id that may be given. */
  #reserved = 0
  /** The greatest id whose change is stored. */
  #saved = 0
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

  /** Ids that can be given before more are reserved. */
  get ids(): number {
    return this.#reserved - this.#last
  }

  of(user: UserId): PresenceTimes | undefined {
    if (this.lists.changes.placeOf(user) < 0) return undefined
    return { active: this.#active[user] ?? 0, connected: this.#connected[user] ?? 0 }
  }

  /**
   * Somebody is there. Answers whether this is news to others: they were offline or, now active, not active for as long.
   * Needs an id.
   */
  ping(user: UserId, now: number, isActive: boolean): boolean {
    const known = this.of(user) ?? { active: 0, connected: 0 }
    const isActiveAnew = isActive && !isFresh(known.active, now)
    if (!isActiveAnew && isFresh(known.connected, now)) return false
    this.#set(user, { active: isActiveAnew ? now : known.active, connected: now })
    return now - known.connected > offlineSeconds || (isActive && now - known.active > offlineSeconds)
  }

  /** A row of the log says so. Its table function has reserved an id for it. */
  turn(user: UserId, times: PresenceTimes): void {
    this.#reserved += 1
    this.#set(user, times)
    this.lists.showAll()
  }

  /** Their account is deactivated: whoever comes back was never there. */
  leave(user: UserId): void {
    if (this.of(user) === undefined) return
    this.lists.remove(user)
    this.#gone.add(user)
  }

  /** The database has reserved so many ids more. */
  addIds(count: number): void {
    this.#reserved += count
  }

  get hasUnsaved(): boolean {
    return this.#last > this.#saved || this.#gone.size > 0
  }

  /** Of whom the rows are to be deleted. */
  get gone(): ReadonlyArray<UserId> {
    return [...this.#gone]
  }

  /** The oldest changes that are not stored yet. */
  unsaved(most: number): ReadonlyArray<PresenceChange> {
    this.lists.showAll()
    const { changes } = this.lists
    const unsaved: Array<PresenceChange> = []
    for (let place = changes.placeAfter(this.#saved); place < changes.end && unsaved.length < most; place++) {
      const person = changes.personAt(place)
      if (person === 0) continue
      unsaved.push([UserId(person), this.#active[person] ?? 0, this.#connected[person] ?? 0, changes.idAt(place)])
    }
    return unsaved
  }

  /** All changes up to this id are stored, and the rows of these people deleted. */
  saved(id: number, gone: ReadonlyArray<UserId>): void {
    this.#saved = id
    for (const user of gone) this.#gone.delete(user)
  }

  /** Puts a page of what is stored into it, by rising ids. */
  load(page: ReadonlyArray<PresenceChange>, reserved: number): void {
    for (const [user, active, connected] of page) this.#note(user, { active, connected })
    this.lists.changes.merge(page.map(([user, , , id]) => [user, id]))
    this.#reserved = reserved
    this.#last = reserved
    this.#saved = reserved
  }

  #set(user: UserId, times: PresenceTimes): void {
    if (this.ids < 1) throw new Error("a change of presence needs an id")
    this.#note(user, times)
    this.#last += 1
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
  load: "load_presence_v1",
  stored: Schema.Struct({
    /** [user, active, connected, id], by rising ids */
    people: Schema.Array(Schema.Tuple([idSchemas.user, Schema.Number, Schema.Number, Schema.Number])),
    reserved: Schema.Number,
    /** The last user that was looked at; null: there are no more. */
    last: Schema.NullOr(idSchemas.user),
  }),
  pageKey: ({ last }) => (last === null ? null : [last]),
  empty: () => new Presences(),
  fill: (all, { people, reserved }) => all.load(people, reserved),
  // The tables are a few seconds late, so that a part that was loaded says something else.
  plain: () => null,
})
