/**
 * One commit as it travels: the batch that is formed of waiting entries, the statement, and its answer.
 */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Failure } from "../errors.ts"
import type { Json } from "../json.ts"
import type { Call, Judgement } from "./command.ts"
import type { LogRow } from "./event.ts"
import { rowOf, WireRows } from "./log.ts"

/** Cost per send is lowest near 64 calls; above these bounds a batch would hold the lock too long. */
export const batchCalls = 128
const batchBytes = 200 * 1024

export const commitSql = "select commit_calls_v1($1, $2, $3, $4, $5, $6) as answer"
export const settleSql = "select settle_commit_v1($1, $2, $3) as answer"

/** A waiting command with its answer's way back; the type of its answer is closed over. */
export interface Entry<Realm> {
  readonly judge: (realm: Realm) => Judgement<() => void>
  /** Looks for an earlier answer before the refusal is given. */
  readonly refuse: (failure: Failure) => void
  readonly settle: (outcome: Json) => void
  readonly fail: (failure: Failure) => void
  readonly die: (defect: unknown) => void
}

interface Batch<Realm> {
  readonly entries: ReadonlyArray<Entry<Realm>>
  readonly calls: ReadonlyArray<Call>
  /** What did not fit; it is judged again later. */
  readonly rest: ReadonlyArray<Entry<Realm>>
}

/**
 * Judges entries in order until the batch is full, or a call may change the rules: nothing may follow what changes what
 * it was judged by.
 */
export const formBatch = <Realm>(waiting: ReadonlyArray<Entry<Realm>>, realm: Realm): Batch<Realm> => {
  const entries: Array<Entry<Realm>> = []
  const calls: Array<Call> = []
  let bytes = 0
  for (const [index, entry] of waiting.entries()) {
    if (entries.length >= batchCalls || bytes >= batchBytes) return { entries, calls, rest: waiting.slice(index) }
    const judgement = entry.judge(realm)
    if (judgement._tag === "Done") judgement.answer()
    else if (judgement._tag === "Refused") entry.refuse(judgement.failure)
    else {
      entries.push(entry)
      calls.push(judgement.call)
      bytes += JSON.stringify(judgement.call.args).length
      if (judgement.changesRules) return { entries, calls, rest: waiting.slice(index + 1) }
    }
  }
  return { entries, calls, rest: [] }
}

/** Neighbouring calls of one function go together: it is dispatched once per group, not per call. */
export const callsText = (calls: ReadonlyArray<Call>): string => {
  const groups: Array<{ fn: string; calls: Array<Call["args"]> }> = []
  for (const { fn, args } of calls) {
    const last = groups.at(-1)
    if (last?.fn === fn) last.calls.push(args)
    else groups.push({ fn, calls: [args] })
  }
  return JSON.stringify(groups)
}

const CommitAnswer = Schema.fromJsonString(
  Schema.Struct({
    commit: Schema.String,
    state: Schema.Literals(["done", "stale", "void", "foreign", "missing"]),
    outcomes: Schema.optional(Schema.NullOr(Schema.Array(Schema.Json))),
    head: Schema.optional(Schema.Number),
    rows: Schema.optional(WireRows),
  }),
)
const decode = Schema.decodeUnknownOption(CommitAnswer)

export interface CommitAnswer {
  readonly state: "done" | "stale" | "void" | "foreign" | "missing"
  readonly outcomes: ReadonlyArray<Json>
  readonly head: number
  readonly rows: ReadonlyArray<LogRow>
}

/** The answer, or null where what came back is not one to this commit: its outcome is then unknown. */
export const readAnswer = (text: unknown, commitId: string): CommitAnswer | null => {
  const answer = Option.getOrNull(decode(text))
  if (answer === null || answer.commit !== commitId) return null
  return {
    state: answer.state,
    outcomes: answer.outcomes ?? [],
    head: answer.head ?? 0,
    rows: (answer.rows ?? []).map(rowOf),
  }
}
