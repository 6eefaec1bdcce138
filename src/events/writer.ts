/**
 * The only way into a realm's log. Gathers the realm's commands while a commit is in flight, judges them on the
 * projection of that moment, and commits them with one call of commit_calls. A command is answered after the
 * projection has been moved over its rows (I7). `Unavailable` means that a command is certainly not done (I8),
 * `OutcomeUnknown` that it could not be found out in time whether it is.
 *
 * What is waiting when a commit's answer comes is sent before the projection follows that commit and its requesters are
 * answered, so that the database has work meanwhile. It is then judged on the projection before the commit, as it would be
 * in the same batch: so only where it could have been in it, see `mayFollowLater`.
 */
import { randomUUID } from "node:crypto"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { OutcomeUnknown, type RequestFailure, Unavailable } from "../api/errors.ts"
import { noteSubmission } from "../api/submission.ts"
import type { ClockShape } from "../clock.ts"
import type { DatabaseShape, StatementRejected } from "../db/database.ts"
import type { RealmId } from "../ids.ts"
import type { Command } from "./command.ts"
import type { RealmFeed } from "./feed.ts"
import {
  type CommitAnswer,
  type CommitEntry,
  callsText,
  commitSql,
  entryOf,
  formBatch,
  mayFollowLater,
  readAnswer,
  settleSql,
} from "./log-commit.ts"
import { makeJudgedAgain } from "./peers/judged-again.ts"
import { findFault, type Peers } from "./peers/peers.ts"

/** Milliseconds that a requester waits for a commit whose answer was lost, before its connection is cut. */
const patienceMilliseconds = 30_000
const retryMilliseconds = 100
/** A commit that is stale so often in a row is given up. */
const staleRounds = 50

export interface WriterOptions<Realm> {
  readonly realm: RealmId
  readonly database: DatabaseShape
  readonly projection: Realm
  readonly feed: RealmFeed
  readonly peers: Pick<Peers, "isAlone" | "speaks" | "isCounted" | "fresh" | "publish" | "awaitRows">
  readonly clock: ClockShape
  /** The commit's time in milliseconds, for tests; null: the database takes its own clock's, after the lock. */
  readonly commitTime: () => number | null
  /** Another server holds the database: this one must stop. */
  readonly onForeign: () => void
  /** The database was put back to an earlier state: positions would be given twice. This process must stop. */
  readonly onLostLog: () => void
  readonly logDefect: (what: string, cause: unknown) => void
}

export interface LogWriter<Realm> {
  readonly submit: <A>(command: Command<Realm, A>) => Effect.Effect<A, RequestFailure>
  /** True while a commit is in flight or waiting. */
  readonly busy: () => boolean
  /** Commits that were sent since the start, and the commands in them. */
  readonly counts: () => { readonly commits: number; readonly commands: number }
  /** Stops waiting: commits that are not settled by now are answered with `OutcomeUnknown`. */
  readonly stop: () => void
}

/** In real time also where a test holds the clock, because the database is waited for. */
const pause = Effect.promise(() => new Promise<void>((resolve) => setTimeout(resolve, retryMilliseconds)))

/** A commit's answer, and what its calls were. */
interface SentCommit {
  readonly judgedAt: number
  readonly changesRules: boolean
  /** Null: it was not found out, and its requesters have been told. */
  readonly answer: CommitAnswer | null
}

/** A commit, from its judging to its answer. */
interface Commit<Realm> {
  /** Those that it has put back into the line, or answered while it judged, are not among them. */
  entries: ReadonlyArray<CommitEntry<Realm>>
  /** Where it was sent before its turn: what becomes of that. */
  flight: Fiber.Fiber<SentCommit | null, Unavailable | StatementRejected> | null
}

export const makeWriter = <Realm>(options: WriterOptions<Realm>): LogWriter<Realm> => {
  const { realm, database, projection, feed, peers, clock } = options
  let waiting: Array<CommitEntry<Realm>> = []
  const counts = { commits: 0, commands: 0 }
  let running = false
  let stopped = false
  /** The commit that was sent before the one before it was followed. */
  let behind: Commit<Realm> | null = null
  /** The highest position that a commit of this process was answered with. */
  let answered = 0
  type Entries = ReadonlyArray<CommitEntry<Realm>>

  const failAll = (entries: Entries, failure: RequestFailure) => {
    for (const entry of entries) entry.fail(failure)
  }
  const takeWaiting = (): Entries => {
    const taken = waiting
    waiting = []
    return taken
  }

  /** Refuses commands that are in no commit yet: nothing of theirs has been sent. */
  const refuseWaiting = () => failAll(takeWaiting(), new Unavailable({ reason: "the database cannot be reached" }))
  const beginPatience = (entries: Entries, reason: string) =>
    clock.after(patienceMilliseconds, () => failAll(entries, new OutcomeUnknown({ reason })))

  /** Moves the projection over what was committed. It must get there: the rows exist. */
  const catchUp = Effect.fnUntraced(function* (entries: Entries, answer: CommitAnswer) {
    feed.advance(answer.rows)
    if (feed.position >= answer.head) return
    // What another process has committed before it is mostly on its way here.
    yield* peers.awaitRows((answer.rows[0]?.position ?? 1) - 1)
    if (feed.advance(answer.rows) && feed.position >= answer.head) return
    const patience = beginPatience(entries, "what was committed could not be read in time")
    while (feed.position < answer.head && !stopped) {
      yield* Effect.catch(feed.catchUp(answer.head), () => {
        refuseWaiting()
        return pause
      })
    }
    patience.cancel()
  })

  /** As catchUp; if it throws, the commands end with OutcomeUnknown instead of an error, because they are done. */
  const follow = (entries: Entries, answer: CommitAnswer) =>
    Effect.catchDefect(catchUp(entries, answer), (defect) =>
      Effect.sync(() => {
        options.logDefect("the projection could not follow a commit", defect)
        failAll(entries, new OutcomeUnknown({ reason: "the projection could not follow the commit" }))
      }),
    )

  /** Finds out under the log's lock what became of a commit, or makes certain that it never happens. */
  const settle = Effect.fnUntraced(function* (entries: Entries, commitId: string) {
    const patience = beginPatience(entries, "the commit could not be settled in time")
    while (!stopped) {
      // A refusal says nothing about the commit either, which must not be repeated while it may stand.
      const rows = yield* Effect.catch(database.write(settleSql, [realm, database.holder, commitId]), () =>
        Effect.succeed([]),
      )
      const answer = readAnswer(rows[0]?.["answer"], commitId)
      if (answer !== null) {
        patience.cancel()
        // The commit may have been done before the other server took over.
        if (answer.state === "foreign") failAll(entries, new OutcomeUnknown({ reason: "another server took over" }))
        return answer
      }
      refuseWaiting()
      yield* pause
    }
    patience.cancel()
    failAll(entries, new OutcomeUnknown({ reason: "the server stopped before the commit was settled" }))
    return null
  })

  /** Sends a commit and learns its outcome, however long that takes. */
  const send = Effect.fnUntraced(function* (entries: Entries, calls: string, judgedAt: number) {
    const commitId = randomUUID()
    counts.commits += 1
    counts.commands += entries.length
    const parameters = [realm, database.holder, judgedAt, commitId, calls, options.commitTime()]
    const rows = yield* Effect.catchTag(database.write(commitSql, parameters), "Uncertain", () => Effect.succeed([]))
    return readAnswer(rows[0]?.["answer"], commitId) ?? (yield* settle(entries, commitId))
  })

  /**
   * Judges a commit's entries and sends their calls; null where none of them calls anything. Entries that do not fit go back
   * to the head of the line.
   */
  const judgeAndSend = Effect.fnUntraced(function* (commit: Commit<Realm>) {
    const fault = findFault(feed, peers)
    if (fault !== null) {
      failAll(commit.entries, fault)
      return null
    }
    const judgedAt = feed.position
    const later = judgedAgain.list()
    const { entries, calls, changesRules, rest } = formBatch(commit.entries, projection, later, peers.speaks())
    commit.entries = entries
    judgedAgain.look(later)
    if (rest.length > 0) waiting = [...rest, ...waiting]
    if (entries.length === 0) return null
    const sent: SentCommit = { judgedAt, changesRules, answer: yield* send(entries, callsText(calls), judgedAt) }
    return sent
  })

  const sendBehind = Effect.suspend(() => {
    const next: Commit<Realm> = { entries: takeWaiting(), flight: null }
    behind = next
    return Effect.map(Effect.forkChild(judgeAndSend(next), { startImmediately: true }), (fiber) => {
      next.flight = fiber
    })
  })

  /** `alone`: no other commit may be sent before this one is followed. */
  const commit = Effect.fnUntraced(function* (current: Commit<Realm>, alone: boolean): Effect.fn.Return<void> {
    for (let round = 0; round < staleRounds; round++) {
      const { flight } = current
      current.flight = null
      const sent = yield* Effect.result(flight === null ? judgeAndSend(current) : Fiber.join(flight))
      const { entries } = current
      if (sent._tag === "Failure") {
        if (sent.failure._tag === "Rejected") return yield* halve(entries, sent.failure)
        return failAll([...entries, ...takeWaiting()], sent.failure)
      }
      if (sent.success === null || sent.success.answer === null) return
      const { judgedAt, changesRules, answer } = sent.success
      switch (answer.state) {
        case "done": {
          const known = Math.max(judgedAt, answered)
          if ((answer.rows[0]?.position ?? Number.MAX_SAFE_INTEGER) <= known) options.onLostLog()
          answered = Math.max(known, answer.head)
          peers.publish(answer)
          if (!alone && waiting.length > 0 && mayFollowLater(changesRules, answer, feed.position)) yield* sendBehind
          yield* follow(entries, answer)
          for (const [index, entry] of entries.entries()) entry.settle(answer.outcomes[index] ?? null)
          return
        }
        case "stale": {
          const caughtUp = yield* Effect.result(feed.catchUp(answer.head))
          if (caughtUp._tag === "Failure") return failAll([...entries, ...takeWaiting()], caughtUp.failure)
          continue
        }
        case "void":
          return failAll(entries, new Unavailable({ reason: "the commit was given up before it began" }))
        case "foreign":
          options.onForeign()
          return failAll(entries, new Unavailable({ reason: "another server holds the database" }))
        case "missing":
          return yield* Effect.die(new Error(`realm ${realm} has no lock row`))
      }
    }
    failAll(current.entries, new Unavailable({ reason: "overtaken too often" }))
  })

  /** One bad command must not harm its neighbours: the halves are judged and tried again, down to the culprit. */
  const halve = Effect.fnUntraced(function* (entries: Entries, error: StatementRejected): Effect.fn.Return<void> {
    if (entries.length === 1) {
      options.logDefect("the database refused a call", error)
      entries[0]?.die(error)
      return
    }
    const middle = Math.ceil(entries.length / 2)
    // What is waiting comes after both halves.
    yield* tryCommit({ entries: entries.slice(0, middle), flight: null }, true)
    yield* tryCommit({ entries: entries.slice(middle), flight: null }, true)
  })

  /** A commit; if that throws, those of its entries fail that have no answer yet. */
  const tryCommit = Effect.fnUntraced(function* (current: Commit<Realm>, alone: boolean): Effect.fn.Return<void> {
    yield* Effect.catchDefect(commit(current, alone), (defect) =>
      Effect.sync(() => {
        options.logDefect("a commit failed", defect)
        for (const entry of current.entries) entry.die(defect)
      }),
    )
  })

  const run = Effect.gen(function* () {
    // Commands of one turn of the loop go together.
    yield* Effect.yieldNow
    while (behind !== null || waiting.length > 0) {
      const current = behind ?? { entries: takeWaiting(), flight: null }
      behind = null
      yield* tryCommit(current, false)
    }
    running = false
  })

  const begin = (): void => {
    if (running) return
    running = true
    Effect.runFork(run)
  }

  const judgedAgain = makeJudgedAgain<CommitEntry<Realm>>(peers, (entries) => {
    waiting.push(...entries)
    begin()
  })

  const submit = <A>(command: Command<Realm, A>) =>
    Effect.callback<A, RequestFailure>((resume) => {
      waiting.push(entryOf(command, resume))
      begin()
    })

  return {
    submit: peers.isAlone ? submit : (command) => Effect.andThen(noteSubmission, submit(command)),
    counts: () => counts,
    busy: () => running || judgedAgain.count() > 0,
    stop: () => {
      stopped = true
    },
  }
}
