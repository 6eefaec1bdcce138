/**
 * Statements that PGlite keeps prepared, the general ones with one plan for all values of their parameters. `PGlite.query`
 * parses and plans a statement each time, in five messages: of a read that takes 16 ms in all, that is more than half. Used by
 * pglite-worker.ts, which does one statement at a time.
 */
import { type PGlite, parse, protocol } from "@electric-sql/pglite"
import type { Row, StatementPlan } from "../database.ts"

/** Statements that are kept: of some 100 kB each, 350 a search's, of memory that PGlite never gives back. */
export const mostKept = 100

const { serialize } = protocol
/** With all others, and so inside of the functions that they call, the database chooses as it likes. */
const modes = { generic: "force_generic_plan", kept: "auto" } as const

export interface PreparedStatements {
  /**
   * One statement, parsed and planned for this time only. Not by `PGlite.query`: after an error that one sends a message more,
   * and where the first ended the database, what it throws is the second's, which says nothing.
   */
  readonly once: (sql: string, parameters: ReadonlyArray<string | null>) => Promise<ReadonlyArray<Row>>
  /** One that is kept. Both answer as `PGlite.query` does. */
  readonly run: (
    sql: string,
    parameters: ReadonlyArray<string | null>,
    plan: Exclude<StatementPlan, "custom">,
  ) => Promise<ReadonlyArray<Row>>
  /** To be called before a script: it is done as others leave the database, and may change tables. */
  readonly forget: () => Promise<void>
}

export const makePrepared = (database: PGlite): PreparedStatements => {
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

  const ask = async (
    statement: string,
    parameters: ReadonlyArray<string | null>,
    ...before: ReadonlyArray<Uint8Array>
  ): Promise<ReadonlyArray<Row>> => {
    const messages = await send(
      ...before,
      serialize.bind({ statement, values: [...parameters] }),
      serialize.describe({ type: "P" }),
      serialize.execute({}),
    )
    const [result] = parse.parseResults(messages, database.parsers)
    return result?.rows ?? []
  }

  const once: PreparedStatements["once"] = async (sql, parameters) => {
    await turn(modes.kept)
    return ask("", parameters, serialize.parse({ text: sql }))
  }

  const run: PreparedStatements["run"] = async (sql, parameters, plan) => {
    await turn(modes[plan])
    const known = names.get(sql)
    if (known === undefined) await makeRoom()
    else names.delete(sql)
    const name = known ?? `s${made++}`
    if (known === undefined) await send(serialize.parse({ name, text: sql }))
    names.set(sql, name)
    return ask(name, parameters)
  }

  const forget = async (): Promise<void> => {
    await turn(modes.kept)
    if (names.size === 0) return
    await database.exec("deallocate all")
    names.clear()
  }

  return { once, run, forget }
}
