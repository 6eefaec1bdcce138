/**
 * Databases that the servers of a process use one after the other: each is lent to one server at a time and reset in
 * between, because opening one takes a second of processor time, resetting it a hundredth. Every start of a server gets a
 * `Database` of its own on it, with a new holder, as a restarted server does.
 */
import * as Effect from "effect/Effect"
import type { DatabaseConfig } from "../config/config.ts"
import { Database } from "../db/database.ts"
import { readyImage } from "../db/pglite/pglite-image.ts"
import { Scripts } from "../db/statement.ts"
import {
  DatabaseThreads,
  type LayerOf,
  type OnWorker,
  type OpenedDatabase,
  openPglite,
  openPostgres,
} from "./opened-databases.ts"
import { clearSql, keepSql, keepToldSql, namesSql, prepareSql, restoreSql, rowsSql } from "./reset-store.ts"

/** A file to open databases from, which keep these beginnings, and hold the rows of the last. */
export interface DatabaseImage {
  readonly file: string
  readonly beginnings: ReadonlyArray<string>
}

const runScript = ({ services }: OpenedDatabase, sql: string): Promise<void> =>
  Effect.runPromise(Scripts.use((scripts) => scripts.run(sql)).pipe(Effect.provide(services)))

/** Before a script the embedded database forgets the statements that it keeps; before this it does not. */
const query = ({ services }: OpenedDatabase, sql: string) =>
  Effect.runPromise(Database.use((database) => database.query(sql)).pipe(Effect.provide(services)))

export interface LentDatabase {
  readonly config: DatabaseConfig
  readonly layerOf: LayerOf
  /** Whether it holds the rows of the beginning; else it is empty, and `keep` is to be called when they are there. */
  readonly isFilled: boolean
  readonly keep: () => Promise<void>
  readonly giveBack: () => void
}

interface DatabaseSlot extends OpenedDatabase {
  readonly threads: DatabaseThreads
  readonly beginnings: Set<string>
  isPrepared: boolean
  isFree: boolean
  /** The beginning whose rows it holds as they were kept: no server has had it since. */
  untouched: string | null
}

export interface LentOptions {
  /** The address of a PostgreSQL server; absent: embedded databases, which may be opened from an image. */
  readonly admin?: string | undefined
  readonly image?: DatabaseImage | undefined
  /** Called with each thread of an embedded database; tests end one to see what becomes of its database. */
  readonly onWorker?: OnWorker | undefined
}

/** A beginning as rows: the tables that have some, each with them as a JSON text. */
type BeginningRows = ReadonlyArray<{ readonly name: string; readonly rows: string }>

export class LentDatabases {
  readonly #admin: string | undefined
  readonly #image: DatabaseImage | undefined
  readonly #onWorker: OnWorker | undefined
  readonly #slots = new Set<DatabaseSlot>()
  /** What further databases are told of the beginnings that another one keeps. */
  readonly #told = new Map<string, BeginningRows>()
  /** A database that is being opened for nobody yet. */
  #ahead: { readonly threads: DatabaseThreads; readonly opening: Promise<DatabaseSlot> } | null = null

  constructor({ admin, image, onWorker }: LentOptions = {}) {
    this.#admin = admin
    this.#image = image
    this.#onWorker = onWorker
  }

  async #open(threads: DatabaseThreads): Promise<DatabaseSlot> {
    const { file, beginnings } = this.#image ?? { file: readyImage, beginnings: [] }
    const opened = this.#admin === undefined ? await openPglite(threads, file) : await openPostgres(this.#admin)
    const slot: DatabaseSlot = {
      ...opened,
      threads,
      beginnings: new Set(beginnings),
      isPrepared: beginnings.length > 0,
      isFree: false,
      untouched: beginnings.at(-1) ?? null,
    }
    this.#slots.add(slot)
    return slot
  }

  /** Takes one that nobody has. What has lost its thread or connections is closed: it may come back, but not soon enough. */
  async #takeFree(): Promise<DatabaseSlot | undefined> {
    for (const slot of this.#slots) {
      if (!slot.isFree) continue
      slot.isFree = false
      if (slot.isUp()) return slot
      this.#slots.delete(slot)
      await slot.close().catch(() => {})
    }
    return undefined
  }

  async #take(): Promise<DatabaseSlot> {
    const free = await this.#takeFree()
    if (free !== undefined) {
      free.threads.hold(true)
      return free
    }
    const ahead = this.#ahead
    this.#ahead = null
    if (ahead === null) return this.#open(new DatabaseThreads(true, this.#onWorker))
    ahead.threads.hold(true)
    return ahead.opening
  }

  /** An embedded database has the program's tables at once, PostgreSQL's after `layerOf` has been opened. */
  async #prepare(slot: DatabaseSlot): Promise<void> {
    if (slot.isPrepared) return
    if (this.#admin !== undefined) await Effect.runPromise(Effect.void.pipe(Effect.provide(slot.layerOf([]))))
    await runScript(slot, prepareSql)
    slot.isPrepared = true
  }

  /** Whether a lent database can hold the rows of this beginning. */
  knows(beginning: string): boolean {
    return this.#told.has(beginning) || this.#image?.beginnings.includes(beginning) === true
  }

  /** A database with the rows of a beginning, where it is known, until it is given back. Null: an empty one. */
  async lend(beginning: string | null): Promise<LentDatabase> {
    const slot = await this.#take()
    try {
      return await this.#lend(slot, beginning)
    } catch (error) {
      // Nobody knows what is in it. Its threads would keep the process.
      this.#slots.delete(slot)
      await slot.close().catch(() => {})
      throw error
    }
  }

  async #lend(slot: DatabaseSlot, beginning: string | null): Promise<LentDatabase> {
    await this.#prepare(slot)
    const told = beginning === null ? undefined : this.#told.get(beginning)
    if (beginning !== null && told !== undefined && !slot.beginnings.has(beginning)) {
      await runScript(slot, keepToldSql(beginning, told))
      slot.beginnings.add(beginning)
    }
    const isFilled = beginning !== null && slot.beginnings.has(beginning)
    if (beginning === null || slot.untouched !== beginning)
      await query(slot, isFilled ? restoreSql(beginning) : clearSql)
    slot.untouched = null
    return {
      config: slot.config,
      layerOf: slot.layerOf,
      isFilled,
      keep: async () => {
        if (beginning === null || slot.beginnings.has(beginning)) return
        await runScript(slot, keepSql(beginning))
        slot.beginnings.add(beginning)
        this.#told.set(beginning, await tell(slot))
      },
      giveBack: () => {
        slot.isFree = true
        slot.threads.hold(false)
      },
    }
  }

  /** Begins to open one more database than there are servers, for the next. Where that fails, the next opens its own. */
  openAhead(): void {
    if (this.#ahead !== null || [...this.#slots].some(({ isFree }) => isFree)) return
    const threads = new DatabaseThreads(false, this.#onWorker)
    const opening = this.#open(threads)
    const ahead = { threads, opening }
    this.#ahead = ahead
    const settle = (slot?: DatabaseSlot) => {
      if (this.#ahead !== ahead) return
      this.#ahead = null
      if (slot !== undefined) slot.isFree = true
    }
    opening.then(settle, () => settle())
  }

  /** An image of a database that holds the rows of a beginning, and keeps all others that it has held; it is closed. */
  async pack(beginning: string): Promise<Buffer> {
    const slot = await this.#take()
    await query(slot, restoreSql(beginning))
    const packed = await slot.pack()
    this.#slots.delete(slot)
    await slot.close()
    return packed
  }

  /** Closes them all; nothing is lent any more. */
  async close(): Promise<void> {
    await this.#ahead?.opening.catch(() => {})
    const slots = [...this.#slots]
    this.#slots.clear()
    await Promise.all(slots.map(({ close }) => close()))
  }
}

const tell = async (slot: OpenedDatabase): Promise<BeginningRows> => {
  const names = (await query(slot, namesSql)).map(({ name }) => String(name))
  const tables = await query(slot, rowsSql(names))
  return tables.map(({ name, rows }) => ({ name: String(name), rows: String(rows) }))
}
