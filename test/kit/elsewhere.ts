/**
 * Another program that writes to the server's database: on PostgreSQL by a separate connection, past any proxy; on
 * PGlite, which has one session, by statements between those of the server. It commits as the same holder as the
 * server, which then finds rows in the log that it has not written.
 */
import * as Predicate from "effect/Predicate"
import type { Test } from "tap"
import { postgresLayer } from "../../src/db/postgres/postgres.ts"
import type { SqlCall } from "../../src/events/command.ts"
import { callsText, commitSql, writeCall } from "../../src/events/log-commit.ts"
import type { Json } from "../../src/json.ts"
import { openLayer } from "./test-database.ts"
import type { TestServer } from "./with-server.ts"

export interface ForeignCommit {
  readonly state: string
  readonly outcomes: ReadonlyArray<Json>
}

type Parameters = ReadonlyArray<string | number | null>

const readAnswer = (text: unknown): ForeignCommit => {
  const answer: unknown = JSON.parse(String(text).split("\n")[0] ?? "")
  if (!Predicate.isObject(answer)) throw new Error("commit_calls answered something else than an object")
  const outcomes: unknown = answer["outcomes"]
  return { state: String(answer["state"]), outcomes: Array.isArray(outcomes) ? outcomes : [] }
}

/** `url`: the database's own address, if the server is connected through a proxy. */
export const openElsewhere = async (t: Test, server: TestServer, url?: string) => {
  const { database } = server.config
  const direct = url ?? (database.kind === "postgres" ? database.url : null)
  const own = direct === null ? null : await openLayer(t, postgresLayer(direct, { size: 3 }))
  if (own !== null) server.closeAfter(own.close)
  const query = (sql: string, parameters: Parameters = []) =>
    own === null ? server.rows(sql, parameters) : own.query(sql, parameters)
  const number = async (sql: string): Promise<number> => Number((await query(sql))[0]?.["n"])
  let commits = 0
  return {
    query,
    /** The number in the column `n` of the only row that a query answers. */
    number,
    head: () => number("select log_head_v1(1) as n"),
    /** Commits calls at the present head of the log, again if the head has moved; rejects if the commit is refused. */
    commit: async (...calls: ReadonlyArray<SqlCall>): Promise<ForeignCommit> => {
      for (;;) {
        const [row] = await query("select holder, log_head_v1(1) as head from realm_lock where realm_id = 1")
        const head = Number(row?.["head"])
        const id = `elsewhere ${commits++}`
        const parameters = [1, String(row?.["holder"]), head, id, callsText(calls.map(writeCall)), server.clock.now()]
        const answer = readAnswer((await query(commitSql, parameters))[0]?.["answer"])
        if (answer.state === "done") return answer
        if (answer.state !== "stale") throw new Error(`somebody else's commit was ${answer.state}`)
      }
    },
  }
}
