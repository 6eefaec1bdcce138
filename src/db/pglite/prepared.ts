/**
 * Statements that PGlite keeps prepared, the general ones with one plan for all values of their parameters. `PGlite.query`
 * parses and plans a statement each time, in five messages: of a read that takes 16 ms in all, that is more than half. Used by
 * pglite-worker.ts, which does one statement at a time.
 */
import { type PGlite, parse, protocol } from "@electric-sql/pglite"
import type { Plan, Row } from "../database.ts"

/** Statements that are kept: of some 100 kB each, 350 a search's, of memory that PGlite never gives back. */
export const mostKept = 100

const { serialize } = protocol
/** With all others, and so inside of the functions that they call, the database chooses as it likes. */
const modes = { generic: "force_generic_plan", kept: "auto" } as const

export interface Prepared {
  /** Answers like `PGlite.query`, and throws what it throws. */
  readonly run: (
    sql: string,
    parameters: ReadonlyArray<string | null>,
    plan: Exclude<Plan, "custom">,
  ) => Promise<ReadonlyArray<Row>>
  /** To be called before any other statement. */
  readonly leave: () => Promise<void>
  /** To be called after a script, which may have changed tables. */
  readonly forget: () => Promise<void>
}

export const makePrepared = (database: PGlite): Prepared => {
  /** Names by text, those that were used last at the end. */
  const names = new Map<string, string>()
  let made = 0
  let mode: (typeof modes)[keyof typeof modes] = modes.kept

  const turn = async (to: typeof mode): Promise<void> => {
    if (mode === to) return
    await database.exec(`set plan_cache_mode = ${to}`)
    mode = to
  }

  const send = (...messages: ReadonlyArray<Uint8Array>) =>
    database.runExclusive(() =>
      database.execProtocolStream(Buffer.concat([...messages, serialize.sync()]), { syncToFs: false }),
    )

  /** Makes room for one more: where there are too many, the one that was not used for the longest time goes. */
  const makeRoom = async (): Promise<void> => {
    for (const [sql, name] of names) {
      if (names.size < mostKept) return
      names.delete(sql)
      await send(serialize.close({ type: "S", name }))
    }
  }

  const run: Prepared["run"] = async (sql, parameters, plan) => {
    await turn(modes[plan])
    const known = names.get(sql)
    if (known === undefined) await makeRoom()
    else names.delete(sql)
    const name = known ?? `s${made++}`
    if (known === undefined) await send(serialize.parse({ name, text: sql }))
    names.set(sql, name)
    const messages = await send(
      serialize.bind({ statement: name, values: [...parameters] }),
      serialize.describe({ type: "P" }),
      serialize.execute({}),
    )
    const [result] = parse.parseResults(messages, database.parsers)
    return result?.rows ?? []
  }

  const forget = async (): Promise<void> => {
    if (names.size === 0) return
    await database.exec("deallocate all")
    names.clear()
  }

  return { run, leave: () => turn(modes.kept), forget }
}
