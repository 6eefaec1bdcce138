/**
 * The faults of a server in a test, on either database: `server.faults`. They stand between the server and its database
 * and fail the server at the statements that a test names; what the database itself does is real. What only real
 * connections show is done with fault-proxy.ts.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { Unavailable } from "../api/errors.ts"
import { type DatabaseShape, OutcomeUncertain, type Parameter, type Row, StatementRejected } from "../db/database.ts"
import type { SqlCall } from "../events/command.ts"
import { commitSql, settleSql } from "../events/log-commit.ts"
import { callsIn, garble, namesOf, readGroups, stateOf } from "./commit-texts.ts"

export type CommitFate =
  /** Left alone. */
  | "done"
  /** Committed; the answer does not come back. */
  | "lost"
  /** Committed; the outcomes of its calls come back as nothing that the program can read. */
  | "garbled"
  /** The statement is held up on its way, and no answer comes back: it arrives when the test calls `arrive`. */
  | "late"
  | "unsent"
  /** Refused by the database, whose disk is full. */
  | "full"
  /** Refused by the database for what is in it. */
  | "refused"

/** The fate of one statement that is no commit. */
interface StatementFate {
  /** Matches its text. */
  readonly sql: RegExp
  readonly fate: "lost" | "unsent" | "full"
}

/** Delays the answer of a query whose SQL contains `part` until `during` resolves. */
interface QueryDelay {
  readonly part: string
  readonly during: (rows: ReadonlyArray<Row>, sql: string) => Promise<void>
}

const diskIsFull = Effect.fail(new Unavailable({ reason: "the test has filled the disk", code: "53100" }))

/** A server's connection to its database. That of a killed server stays dead; the next server gets a new one. */
interface Link {
  isDead: boolean
  /** Number of times that the connection was cut. */
  cuts: number
}

export class DatabaseFaults {
  /** Number of times that the server has asked what became of a commit. */
  settles = 0
  /** Number of queries that have failed because of `failQueries`. */
  failed = 0
  /** The functions called by each commit that the server has made, `name` or `name*count` per group. */
  readonly commits: Array<string> = []
  /** The fate of the statement by which the server asks how a commit ended. */
  settling: "answered" | "lost" | "refused" = "answered"
  /** Number of commits that were lost or held up. */
  struck = 0
  /** Called when a commit is held up on its way, with what lets this one arrive. */
  onHeldUp: (arrive: () => Promise<unknown>) => void = () => {}
  readonly #fates: Array<CommitFate> = []
  readonly #statementFates: Array<StatementFate> = []
  #delay: QueryDelay | null = null
  #away: string | null = null
  #awayTimes = 0
  #link: Link = { isDead: false, cuts: 0 }
  /** Resolves when statements may flow again; null while they do. */
  #stalled: Deferred.Deferred<void> | null = null
  /** Commits that are held up, as the parameters of their statements. */
  readonly #onTheWay: Array<ReadonlyArray<Parameter>> = []
  /** The database of the running server, without any faults. */
  #database: DatabaseShape | null = null
  readonly #replaceServer: () => Promise<void>

  /** `replaceServer` ends the running server abruptly and starts another one on its database. */
  constructor(replaceServer: () => Promise<void>) {
    this.#replaceServer = replaceServer
  }

  /** Sets the fates of the next commits, in order; later ones are left alone. */
  failCommits(...fates: ReadonlyArray<CommitFate>): void {
    this.#fates.push(...fates)
  }

  /** The next `times` writes that match, and are no commits, fail. */
  failStatements(sql: RegExp, fate: StatementFate["fate"], times = 1): void {
    this.#statementFates.push(...Array.from({ length: times }, () => ({ sql, fate })))
  }

  /** Number of statements that are still to fail by `failStatements`. */
  statementsToFail(): number {
    return this.#statementFates.length
  }

  forgetStatements(): void {
    this.#statementFates.length = 0
  }

  /** Removes and answers the fates that no commit has had yet. */
  takeFates(): ReadonlyArray<CommitFate> {
    return this.#fates.splice(0)
  }

  /** Each answer to a query with `part` in its SQL comes when `during` has resolved; one such delay at a time. */
  slow(part: string, during: QueryDelay["during"]): void {
    this.#delay = { part, during }
  }

  /** Queries with `part` in their SQL fail as if the database were unreachable, all or the next `times`. */
  failQueries(part: string, times = Number.POSITIVE_INFINITY): void {
    this.#away = part
    this.#awayTimes = times
  }

  /** Cuts the connection: sent statements lose their answers, waiting ones are never sent, later ones go through. */
  cut(): void {
    this.#link.cuts++
  }

  /** Holds all statements back until `flow`; nothing fails. */
  stall(): void {
    this.#stalled ??= Deferred.makeUnsafe()
  }

  /** Ends `slow`, `failQueries` and `stall`. */
  flow(): void {
    this.#delay = null
    this.#away = null
    if (this.#stalled !== null) Deferred.doneUnsafe(this.#stalled, Effect.void)
    this.#stalled = null
  }

  /** Number of commits that are held up. */
  get onTheWay(): number {
    return this.#onTheWay.length
  }

  /** The calls of the commits that are held up. */
  heldUp(): ReadonlyArray<SqlCall> {
    return this.#onTheWay.flatMap((parameters) => readGroups(callsIn(parameters)))
  }

  /** Lets commits that were held up arrive, all or these; answers the state that the database answered for each. */
  async arrive(which: ReadonlyArray<ReadonlyArray<Parameter>> = [...this.#onTheWay]): Promise<ReadonlyArray<string>> {
    const database = this.#database
    if (database === null) throw new Error("no server has started")
    for (const each of which) this.#onTheWay.splice(this.#onTheWay.indexOf(each), 1)
    const send = (parameters: ReadonlyArray<Parameter>) => Effect.map(database.query(commitSql, parameters), stateOf)
    return Promise.all(which.map((parameters) => Effect.runPromise(send(parameters))))
  }

  /** From now on this server does not reach its database, and no answer reaches it. Commits that are held up stay so. */
  die(): void {
    this.#link.isDead = true
    this.cut()
    this.#fates.length = 0
    this.settling = "answered"
    this.flow()
  }

  /** The server dies as from SIGKILL: it reaches neither database nor clients, and another server is started. */
  async kill(): Promise<void> {
    this.die()
    await this.#replaceServer()
  }

  /** The database as a starting server sees it. */
  readonly wrap = (database: DatabaseShape): DatabaseShape => {
    const link: Link = { isDead: false, cuts: 0 }
    this.#link = link
    this.#database = database
    const reach = <A, E, F>(
      statement: Effect.Effect<A, E>,
      failure: (why: { readonly reason: string }) => F,
    ): Effect.Effect<A, E | F | Unavailable> =>
      Effect.suspend((): Effect.Effect<A, E | F | Unavailable> => {
        if (link.isDead) return Effect.fail(new Unavailable({ reason: "the test killed this server" }))
        const { cuts } = link
        const unlessCut = Effect.suspend(() =>
          link.cuts === cuts ? Effect.void : Effect.fail(failure({ reason: "the test cut the connection" })),
        )
        const sent = Effect.tap(statement, () => unlessCut)
        if (this.#stalled === null) return sent
        return Effect.andThen(Deferred.await(this.#stalled), Effect.andThen(unlessCut, sent))
      })
    return {
      ...database,
      query: (sql, parameters = [], plan) =>
        reach(
          Effect.suspend(() => this.#query((text, values) => database.query(text, values, plan), sql, parameters)),
          (why) => new Unavailable(why),
        ),
      snapshot: (use) =>
        database.snapshot((snapshot) =>
          use({
            query: (sql, parameters = [], plan) =>
              reach(
                Effect.suspend(() =>
                  this.#query((text, values) => snapshot.query(text, values, plan), sql, parameters),
                ),
                (why) => new Unavailable(why),
              ),
          }),
        ),
      read: (sql, parameters = [], plan) =>
        reach(
          Effect.suspend(() => this.#query((text, values) => database.read(text, values, plan), sql, parameters)),
          (why) => new Unavailable(why),
        ),
      write: (sql, parameters = []) =>
        reach(
          Effect.suspend(() => this.#write(database, sql, parameters)),
          (why) => new OutcomeUncertain(why),
        ),
    }
  }

  #fateOf(sql: string): StatementFate["fate"] | undefined {
    return this.#statementFates[0]?.sql.test(sql) === true ? this.#statementFates.shift()?.fate : undefined
  }

  #query(
    query: DatabaseShape["query"],
    sql: string,
    parameters: ReadonlyArray<Parameter>,
  ): ReturnType<DatabaseShape["query"]> {
    if (this.#away !== null && this.#awayTimes > 0 && sql.includes(this.#away)) {
      this.#awayTimes--
      this.failed++
      return Effect.fail(new Unavailable({ reason: "the test kept the database away" }))
    }
    return Effect.tap(query(sql, parameters), (rows) => {
      const delay = this.#delay
      return delay === null || !sql.includes(delay.part) ? Effect.void : Effect.promise(() => delay.during(rows, sql))
    })
  }

  #write(
    database: DatabaseShape,
    sql: string,
    parameters: ReadonlyArray<Parameter>,
  ): ReturnType<DatabaseShape["write"]> {
    const lost = () => Effect.fail(new OutcomeUncertain({ reason: "the test lost the answer" }))
    if (sql === settleSql) this.settles++
    if (sql === settleSql && this.settling === "lost") return lost()
    if (sql === settleSql && this.settling === "refused")
      return Effect.fail(new StatementRejected({ code: "XX000", reason: "the test refused it" }))
    if (sql !== commitSql) {
      const fate = this.#fateOf(sql)
      if (fate === "unsent") return Effect.fail(new Unavailable({ reason: "the test did not send it" }))
      if (fate === "full") return diskIsFull
      const written = database.write(sql, parameters)
      return fate === "lost" ? Effect.flatMap(written, lost) : written
    }
    this.commits.push(namesOf(callsIn(parameters)))
    switch (this.#fates.shift()) {
      case undefined:
      case "done":
        return database.write(sql, parameters)
      case "unsent":
        return Effect.fail(new Unavailable({ reason: "the test did not send it" }))
      case "full":
        return diskIsFull
      case "refused":
        return Effect.fail(new StatementRejected({ code: "22P05", reason: "the test refused it" }))
      case "lost":
        this.struck++
        return Effect.flatMap(database.write(sql, parameters), lost)
      case "garbled":
        return Effect.map(database.write(sql, parameters), garble)
      case "late":
        this.struck++
        this.#onTheWay.push(parameters)
        this.onHeldUp(() => this.arrive(this.#onTheWay.filter((each) => each === parameters)))
        return lost()
    }
  }
}
