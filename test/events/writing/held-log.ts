/**
 * A log in memory behind the writer's interface of a database, with the promises of commit_calls_v2 and
 * settle_commit_v1: each commit is held until the test says what becomes of it.
 */
import * as Effect from "effect/Effect"
import { Unavailable } from "../../../src/api/errors.ts"
import {
  type DatabaseShape,
  OutcomeUncertain,
  type Parameter,
  type Row,
  StatementRejected,
} from "../../../src/db/database.ts"
import { settleSql } from "../../../src/events/log-commit.ts"
import type { Json } from "../../../src/json.ts"

/** A call of a test. Its row bears its name. */
export interface TestCall {
  readonly name: string
  /** The position of the newest change of rules that the judging knew. */
  readonly rules: number
  readonly changesRules: boolean
  /** The database refuses it. */
  readonly isPoison: boolean
  /** A second call with the same key gets the first one's answer. */
  readonly key: string | null
}

export interface HeldRow {
  readonly name: string
  readonly changesRules: boolean
}

export type Fate =
  | "done"
  /** Committed, and no answer comes. */
  | "lost"
  /** No answer comes, and the statement arrives later, if ever. */
  | "late"
  /** Never sent. */
  | "unsent"
  /** The driver throws. */
  | "broken"

interface Held {
  readonly names: ReadonlyArray<string>
  readonly judgedAt: number
  readonly land: (fate: Fate) => void
}

type Answered = Effect.Effect<ReadonlyArray<Row>, Unavailable | OutcomeUncertain | StatementRejected>

const lost = Effect.fail(new OutcomeUncertain({ reason: "the test lost the answer" }))

export class HeldLog {
  /** Row `n` has position `n + 1`. */
  readonly rows: Array<HeldRow> = []
  /** The commits that no test has let land. There is never more than one. */
  readonly held: Array<Held> = []
  /** What was broken by the writer: told by the log, where it sees it first. */
  readonly faults: Array<string> = []
  /** Called with each commit as it is sent. */
  onSent: (names: ReadonlyArray<string>) => void = () => {}
  /** Whether another server holds the database. */
  isForeign = false
  /** Number of answers to the question what became of a commit that are lost. */
  lostSettles = 0
  /** Statements that are still on their way. */
  readonly onTheWay: Array<() => void> = []
  readonly #outcomes = new Map<string, ReadonlyArray<Json> | null>()
  readonly #byKey = new Map<string, number>()

  get head(): number {
    return this.rows.length
  }

  /** The position of the newest row that changes rules. */
  get rules(): number {
    return this.rows.findLastIndex(({ changesRules }) => changesRules) + 1
  }

  /** Commits a row as another process does. */
  append(name: string, changesRules = false): void {
    this.rows.push({ name, changesRules })
  }

  /** Puts the log back to an earlier state. */
  cutTo(head: number): void {
    this.rows.length = head
  }

  /** Row `position` as the log's functions answer it. */
  wire(position: number): Json {
    const { name = "", changesRules = false } = this.rows[position - 1] ?? {}
    return [position, changesRules ? "rules" : "row", { name }, { kind: "servers" }, 1, null, null, 0, null, null]
  }

  readonly write: DatabaseShape["write"] = (sql, parameters = []) =>
    Effect.suspend(() => (sql === settleSql ? this.#settle(String(parameters[2])) : this.#hold(parameters)))

  #hold(parameters: ReadonlyArray<Parameter>): Answered {
    const [, , judgedAt, commit, text] = parameters
    const groups: ReadonlyArray<{ readonly calls: ReadonlyArray<TestCall> }> = JSON.parse(String(text))
    const calls = groups.flatMap((group) => group.calls)
    const run = () => this.#commit(String(commit), Number(judgedAt), calls)
    const fates: Record<Fate, () => Answered> = {
      done: run,
      lost: () => Effect.andThen(run(), lost),
      late: () => {
        this.onTheWay.push(() => void run())
        return lost
      },
      unsent: () => Effect.fail(new Unavailable({ reason: "the test did not send it" })),
      broken: () => Effect.die(new Error("the driver fell over")),
    }
    if (this.held.length > 0) this.faults.push("two commits are in flight")
    return Effect.callback((resume) => {
      const names = calls.map(({ name }) => name)
      const land = (fate: Fate) => {
        this.held.splice(this.held.indexOf(held), 1)
        resume(fates[fate]())
      }
      const held: Held = { names, judgedAt: Number(judgedAt), land }
      this.held.push(held)
      this.onSent(names)
    })
  }

  #commit(commit: string, judgedAt: number, calls: ReadonlyArray<TestCall>): Answered {
    const before = this.head
    const answer = (state: string, rest: object = {}, lines: ReadonlyArray<string> = []): Answered =>
      Effect.succeed([
        { answer: [JSON.stringify({ commit, state, head: this.head, ...rest }), lines.join(",\n")].join("\n") },
      ])
    if (this.isForeign) return answer("foreign")
    if (this.#outcomes.has(commit)) return answer("void")
    if (this.rules > judgedAt) return answer("stale")
    if (calls.some(({ isPoison }) => isPoison))
      return Effect.fail(new StatementRejected({ code: "XX000", reason: "poison" }))
    const outcomes = calls.map((call) => this.#run(call))
    this.#outcomes.set(commit, outcomes)
    const added = this.rows.slice(before).map((_, n) => JSON.stringify(this.wire(before + n + 1)))
    return answer("done", { outcomes }, added)
  }

  #run({ name, rules, changesRules, key }: TestCall): Json {
    if (rules !== this.rules) this.faults.push(`${name} was judged by rules ${rules}, and these are ${this.rules}`)
    const known = key === null ? undefined : this.#byKey.get(key)
    if (known !== undefined) return known
    this.append(name, changesRules)
    if (key !== null) this.#byKey.set(key, this.head)
    return this.head
  }

  #settle(commit: string): Answered {
    if (this.lostSettles > 0) {
      this.lostSettles--
      return lost
    }
    const outcomes = this.#outcomes.get(commit) ?? null
    this.#outcomes.set(commit, outcomes)
    const state = this.isForeign ? "foreign" : outcomes === null ? "void" : "done"
    return Effect.succeed([{ answer: JSON.stringify({ commit, state, outcomes: outcomes ?? [], head: this.head }) }])
  }
}
