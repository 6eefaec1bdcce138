/**
 * One commit: the batch that is formed of waiting commands, the SQL statement, and the reading of its answer.
 */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import { type RequestFailure, upgradeUnderWay } from "../api/errors.ts"
import { type Json, parseJson } from "../json.ts"
import type { CallJudgement, Command, DoneJudgement, OutcomeReader, RefusedJudgement, SqlCall } from "./command.ts"
import type { LogRow } from "./event.ts"
import { readRowLines } from "./log.ts"

/** Cost per send is lowest near 64 calls; above these bounds a batch would hold the lock too long. */
const batchCalls = 128
const batchBytes = 200 * 1024

export const commitSql = "select commit_calls_v2($1, $2, $3, $4, $5, $6) as answer"
export const settleSql = "select settle_commit_v1($1, $2, $3) as answer"

/** A waiting command together with the callbacks that answer its requester, whatever the type of the answer. */
export interface CommitEntry<Realm> {
  readonly judge: (realm: Realm) => Omit<CallJudgement, "read"> | DoneJudgement<() => void> | RefusedJudgement
  /** Refuses the command, unless an earlier try of it got an answer, which is then given again. */
  readonly refuse: (failure: RequestFailure) => void
  readonly settle: (outcome: Json) => void
  readonly fail: (failure: RequestFailure) => void
  readonly die: (defect: unknown) => void
  /** Judged on a projection that had all that was committed when it came. */
  isFresh: boolean
}

/** Answers a requester. Calls after the first are ignored. */
type Resume<A> = (effect: Effect.Effect<A, RequestFailure>) => void

/** A command as the writer has it in line. `resume` is called with its answer, maybe again later. */
export const entryOf = <Realm, A>(command: Command<Realm, A>, resume: Resume<A>): CommitEntry<Realm> => {
  const give = (outcome: DoneJudgement<A> | RefusedJudgement) =>
    resume(outcome._tag === "Done" ? Effect.succeed(outcome.answer) : Effect.fail(outcome.failure))
  /** How the outcome of the newest call is read. */
  let read: OutcomeReader<A> | null = null
  return {
    isFresh: false,
    judge: (realm) => {
      try {
        const judgement = command.judge(realm)
        if (judgement._tag === "Done") return { _tag: "Done", answer: () => give(judgement) }
        if (judgement._tag === "Call") read = judgement.read
        return judgement
      } catch (defect) {
        // A bug in one command's rules must not take its neighbours' commit with it.
        return { _tag: "Done", answer: () => resume(Effect.die(defect)) }
      }
    },
    refuse: (failure) => {
      const refusal = Effect.fail(failure)
      const { recall } = command
      if (recall === undefined) return resume(refusal)
      const recalled = Effect.flatMap(Effect.suspend(recall), (known) =>
        known === null ? refusal : known._tag === "Done" ? Effect.succeed(known.answer) : Effect.fail(known.failure),
      )
      resume(recalled)
    },
    settle: (outcome) => {
      if (read === null) return
      try {
        give(read(outcome))
      } catch (defect) {
        // The commit stands, and the other commands get their answers.
        resume(Effect.die(defect))
      }
    },
    fail: (failure) => resume(Effect.fail(failure)),
    die: (defect) => resume(Effect.die(defect)),
  }
}

/** A call with its arguments as JSON text, made once. */
interface WrittenCall {
  readonly fn: string
  readonly args: string
}

interface CommandBatch<Realm> {
  readonly entries: ReadonlyArray<CommitEntry<Realm>>
  readonly calls: ReadonlyArray<WrittenCall>
  /** Whether the last call may change the rules by which commands are judged. */
  readonly changesRules: boolean
  /** Entries that did not fit, to be judged again for the next batch. */
  readonly rest: ReadonlyArray<CommitEntry<Realm>>
}

/**
 * Judges entries in order until the batch is full, or a call may change the rules by which the following entries would
 * be judged. What ends without a call was judged by rules that no commit confirms: where another process may have changed them,
 * such an entry goes to `later` instead of being answered, to be judged once more. `speaks`: what all processes know (peers.ts).
 */
export const formBatch = <Realm>(
  waiting: ReadonlyArray<CommitEntry<Realm>>,
  realm: Realm,
  later: Array<CommitEntry<Realm>> | null,
  speaks: number,
): CommandBatch<Realm> => {
  const entries: Array<CommitEntry<Realm>> = []
  const calls: Array<WrittenCall> = []
  let bytes = 0
  for (const [index, entry] of waiting.entries()) {
    if (entries.length >= batchCalls || bytes >= batchBytes)
      return { entries, calls, changesRules: false, rest: waiting.slice(index) }
    const judgement = entry.judge(realm)
    if (judgement._tag !== "Call" && later !== null && !entry.isFresh) later.push(entry)
    else if (judgement._tag === "Done") judgement.answer()
    else if (judgement._tag === "Refused") entry.refuse(judgement.failure)
    else {
      const written = tryWriteCall(judgement.call, entry)
      if (written === null) continue
      if (speaks !== Number.POSITIVE_INFINITY && neededVersion(written) > speaks) {
        entry.refuse(upgradeUnderWay())
        continue
      }
      entries.push(entry)
      calls.push(written)
      bytes += written.args.length
      if (judgement.changesRules) return { entries, calls, changesRules: true, rest: waiting.slice(index + 1) }
    }
  }
  return { entries, calls, changesRules: false, rest: [] }
}

/** A key, not a part of somebody's text, in which quotes have a backslash before them. */
const sinceVersion = /(?<!\\)"sinceVersion":(\d+)/g

/** The version that programs must know to follow the rows of a call; 0: any. */
const neededVersion = ({ args }: WrittenCall): number =>
  Math.max(0, ...[...args.matchAll(sinceVersion)].map(([, version]) => Number(version)))

export const writeCall = ({ fn, args }: SqlCall): WrittenCall => ({ fn, args: JSON.stringify(args) })

/** Null where the arguments are not JSON: a bug in one command, which fails alone. */
const tryWriteCall = <Realm>(call: SqlCall, entry: CommitEntry<Realm>): WrittenCall | null => {
  try {
    return writeCall(call)
  } catch (defect) {
    entry.die(defect)
    return null
  }
}

/**
 * PostgreSQL's driver keeps what is shorter until the end of the next turn of the event loop, to send it with more.
 * Blanks at the end of JSON are read over.
 */
const sentAtOnceBytes = 1024

/** Neighbouring calls of one function go together: it is dispatched once per group, not per call. */
export const callsText = (calls: ReadonlyArray<WrittenCall>): string => {
  const groups: Array<{ readonly fn: string; readonly calls: Array<string> }> = []
  for (const { fn, args } of calls) {
    const last = groups.at(-1)
    if (last?.fn === fn) last.calls.push(args)
    else groups.push({ fn, calls: [args] })
  }
  return `[${groups.map(({ fn, calls: each }) => `{"fn":${JSON.stringify(fn)},"calls":[${each.join(",")}]}`).join(",")}]`.padEnd(
    sentAtOnceBytes,
  )
}

const states = ["done", "stale", "void", "foreign", "missing"] as const

export interface CommitAnswer {
  readonly state: (typeof states)[number]
  readonly outcomes: ReadonlyArray<Json>
  readonly head: number
  readonly rows: ReadonlyArray<LogRow>
  /** The same as JSON texts (`readRowLines`), as other processes are told them. */
  readonly text: string
}

/** Reads the answer of a commit; null where it is of another commit: the outcome is then unknown. */
export const readAnswer = (text: unknown, commitId: string): CommitAnswer | null => {
  if (!Predicate.isString(text)) return null
  const end = text.indexOf("\n")
  const answer = parseJson(end < 0 ? text : text.slice(0, end))
  const added = end < 0 ? "" : text.slice(end + 1)
  if (!Predicate.isObject(answer) || answer["commit"] !== commitId) return null
  const { outcomes, head } = answer
  const state = states.find((each) => each === answer["state"])
  const rows = added === "" ? [] : readRowLines(added)
  if (state === undefined || rows === null) return null
  return {
    state,
    outcomes: Array.isArray(outcomes) ? outcomes : [],
    head: Predicate.isNumber(head) ? head : 0,
    rows,
    text: added,
  }
}

/**
 * Whether what is waiting may be judged before the projection, which is at `position`, follows this commit: none of its calls
 * changes the rules, and all its rows are here, so that nothing is waited for in between. Where it changed a rule all the same,
 * or another process did, that is newer than the position of the judging, and the next commit is stale.
 */
export const mayFollowLater = (changesRules: boolean, { rows, head }: CommitAnswer, position: number): boolean => {
  const [first, last] = [rows[0]?.position ?? head, rows.at(-1)?.position ?? position]
  return !changesRules && first <= position + 1 && last >= head
}
