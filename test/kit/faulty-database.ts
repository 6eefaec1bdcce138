/**
 * A database whose connection fails the server at exactly the commits a test names: the answer is lost, the statement is
 * held up on its way, or it is never sent; and which is slow where a test wants it. What the database itself does is
 * real.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Test } from "tap"
import { Database, type DatabaseShape, type Row, Uncertain } from "../../src/db/database.ts"
import { Unavailable } from "../../src/errors.ts"
import type { Call } from "../../src/events/command.ts"
import { commitSql, settleSql } from "../../src/events/log-commit.ts"
import { further } from "./further.ts"
import { testDatabase } from "./lent-database.ts"
import type { ServerSetup } from "./with-server.ts"

export type Fate =
  /** Committed; the answer does not come back. */
  | "lost"
  /** Neither comes back nor has arrived yet: it arrives when the test says so. */
  | "late"
  | "unsent"

export class Faults {
  /** What becomes of the next commits, in order; all others are left alone. */
  readonly fates: Array<Fate> = []
  /** While true nothing can be settled. */
  isDown = false
  /** How often the server has asked what became of a commit. */
  settles = 0
  /** Keeps the rows that a query was answered with from the server until it resolves. */
  linger: (sql: string, rows: ReadonlyArray<Row>) => Promise<void> = async () => {}
  /** The functions called by each commit that was sent, `name` or `name*count` per group. */
  readonly commits: Array<string> = []
  readonly #onTheWay: Array<{ readonly calls: string; readonly run: () => Promise<string> }> = []

  /** The calls of the statements that are held up. */
  heldUp(): ReadonlyArray<Call> {
    return this.#onTheWay.flatMap(({ calls }) => readGroups(calls))
  }

  /** Lets the statements arrive that were held up; the state that each was answered. */
  async arrive(): Promise<ReadonlyArray<string>> {
    return Promise.all(this.#onTheWay.splice(0).map(({ run }) => run()))
  }

  readonly wrap = (database: DatabaseShape): DatabaseShape => ({
    ...database,
    query: (sql, parameters = []) =>
      Effect.tap(database.query(sql, parameters), (rows) => Effect.promise(() => this.linger(sql, rows))),
    write: (sql, parameters = []) => {
      const lost = () => Effect.fail(new Uncertain({ reason: "the test lost the answer" }))
      if (sql === settleSql) this.settles++
      if (sql === settleSql && this.isDown) return lost()
      if (sql !== commitSql) return database.write(sql, parameters)
      const calls = String(parameters[4])
      this.commits.push(namesOf(calls))
      switch (this.fates.shift()) {
        case undefined:
          return database.write(sql, parameters)
        case "unsent":
          return Effect.fail(new Unavailable({ reason: "the test did not send it" }))
        case "lost":
          return Effect.flatMap(database.write(sql, parameters), lost)
        case "late":
          this.#onTheWay.push({
            calls,
            run: () => Effect.runPromise(Effect.map(database.query(sql, parameters), stateOf)),
          })
          return lost()
      }
    },
  })
}

/** As log-commit.ts writes them. */
type Groups = ReadonlyArray<{ readonly fn: string; readonly calls: ReadonlyArray<Call["args"]> }>

const namesOf = (text: string): string => {
  const groups: Groups = JSON.parse(text)
  return groups.map(({ fn, calls }) => (calls.length === 1 ? fn : `${fn}*${calls.length}`)).join(" ")
}

const readGroups = (text: string): ReadonlyArray<Call> => {
  const groups: Groups = JSON.parse(text)
  return groups.flatMap(({ fn, calls }) => calls.map((args) => ({ fn, args })))
}

const stateOf = ([row]: ReadonlyArray<Row>): string => {
  const answer: { readonly state: string } = JSON.parse(String(row?.["answer"]))
  return answer.state
}

/** For `withServer`: a server on such a database, with the test's own types and functions. */
export const faulty = async (t: Test, faults: Faults): Promise<ServerSetup> => {
  const { database, layer } = await testDatabase(t, further.sql)
  const databaseLayer = Layer.effect(Database, Effect.map(Database, faults.wrap)).pipe(Layer.provide(layer))
  return { further, config: { database }, databaseLayer }
}
