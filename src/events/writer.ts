/**
 * The only way into a realm's log. Gathers the realm's commands while a commit is in flight, judges them on the
 * projection of that moment, and commits them with one call of commit_calls. A command is answered after the
 * projection has been moved over its rows (I7). `Unavailable` means that a command is certainly not done (I8),
 * `OutcomeUnknown` that it could not be found out in time whether it is.
 */
import { randomUUID } from "node:crypto"
import * as Effect from "effect/Effect"
import { type Failure, OutcomeUnknown, Unavailable } from "../api/errors.ts"
import type { ClockShape } from "../clock.ts"
import type { DatabaseShape, Rejected } from "../db/database.ts"
import type { RealmId } from "../ids.ts"
import type { Command, Done, OutcomeReader, Refused } from "./command.ts"
import type { Feed } from "./feed.ts"
import { type CommitAnswer, callsText, commitSql, type Entry, formBatch, readAnswer, settleSql } from "./log-commit.ts"

/** Milliseconds that a requester waits for a commit whose answer was lost, before its connection is cut. */
const patienceMilliseconds = 30_000
const retryMilliseconds = 100
/** A commit that is stale so often in a row is given up. */
const staleRounds = 50

export interface WriterOptions<Realm> {
  readonly realm: RealmId
  readonly database: DatabaseShape
  readonly projection: Realm
  readonly feed: Feed
  readonly clock: ClockShape
  /** The commit's time in milliseconds, for tests; null: the database takes its own clock's, after the lock. */
  readonly commitTime: () => number | null
  /** Another server holds the database: this one must stop. */
  readonly onForeign: () => void
  /** The database was put back to an earlier state: positions would be given twice. This process must stop. */
  readonly onLostLog: () => void
  readonly logDefect: (what: string, cause: unknown) => void
}

export interface Writer<Realm> {
  readonly submit: <A>(command: Command<Realm, A>) => Effect.Effect<A, Failure>
  /** True while a commit is in flight or waiting. */
  readonly busy: () => boolean
  /** Stops waiting: commits that are not settled by now are answered with `OutcomeUnknown`. */
  readonly stop: () => void
}

/** In real time also where a test holds the clock, because the database is waited for. */
const pause = Effect.promise(() => new Promise<void>((resolve) => setTimeout(resolve, retryMilliseconds)))

/** The entries of the commit under way. Those that it has put back into the line are not among them. */
interface CurrentCommit<Realm> {
  entries: ReadonlyArray<Entry<Realm>>
}

/** Answers a requester. Calls after the first are ignored. */
type Resume<A> = (effect: Effect.Effect<A, Failure>) => void

const entryOf = <Realm, A>(command: Command<Realm, A>, resume: Resume<A>): Entry<Realm> => {
  const give = (outcome: Done<A> | Refused) =>
    resume(outcome._tag === "Done" ? Effect.succeed(outcome.answer) : Effect.fail(outcome.failure))
  /** How the outcome of the newest call is read. */
  let read: OutcomeReader<A> | null = null
  return {
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

export const makeWriter = <Realm>(options: WriterOptions<Realm>): Writer<Realm> => {
  const { realm, database, projection, feed, clock } = options
  let waiting: Array<Entry<Realm>> = []
  let running = false
  let stopped = false
  type Entries = ReadonlyArray<Entry<Realm>>

  const failAll = (entries: Entries, failure: Failure) => {
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
    const parameters = [realm, database.holder, judgedAt, commitId, calls, options.commitTime()]
    const rows = yield* Effect.catchTag(database.write(commitSql, parameters), "Uncertain", () => Effect.succeed([]))
    return readAnswer(rows[0]?.["answer"], commitId) ?? (yield* settle(entries, commitId))
  })

  /** Judges the entries and commits their calls. Entries that do not fit go back to the head of the line. */
  const commit = Effect.fnUntraced(function* (current: CurrentCommit<Realm>): Effect.fn.Return<void> {
    for (let round = 0; round < staleRounds; round++) {
      if (feed.isStuck) return failAll(current.entries, new Unavailable({ reason: "the server cannot follow its log" }))
      const judgedAt = feed.position
      const { entries, calls, rest } = formBatch(current.entries, projection)
      current.entries = entries
      waiting = [...rest, ...waiting]
      if (entries.length === 0) return
      const answer = yield* Effect.result(send(entries, callsText(calls), judgedAt))
      if (answer._tag === "Failure") {
        if (answer.failure._tag === "Rejected") return yield* halve(entries, answer.failure)
        return failAll([...entries, ...takeWaiting()], answer.failure)
      }
      if (answer.success === null) return
      switch (answer.success.state) {
        case "done":
          if ((answer.success.rows[0]?.position ?? Number.MAX_SAFE_INTEGER) <= judgedAt) options.onLostLog()
          yield* follow(entries, answer.success)
          for (const [index, entry] of entries.entries()) entry.settle(answer.success.outcomes[index] ?? null)
          return
        case "stale": {
          const caughtUp = yield* Effect.result(feed.catchUp(answer.success.head))
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
  const halve = Effect.fnUntraced(function* (entries: Entries, error: Rejected): Effect.fn.Return<void> {
    if (entries.length === 1) {
      options.logDefect("the database refused a call", error)
      entries[0]?.die(error)
      return
    }
    const middle = Math.ceil(entries.length / 2)
    // Commands that arrived meanwhile come after both halves.
    const later = takeWaiting()
    yield* commitAll(entries.slice(0, middle))
    yield* commitAll(entries.slice(middle))
    waiting = [...waiting, ...later]
  })

  /** Commits entries; if that throws, those of them fail that have no answer yet. */
  const commitAll = Effect.fnUntraced(function* (entries: Entries): Effect.fn.Return<void> {
    const current: CurrentCommit<Realm> = { entries }
    yield* Effect.catchDefect(commit(current), (defect) =>
      Effect.sync(() => {
        options.logDefect("a commit failed", defect)
        for (const entry of current.entries) entry.die(defect)
      }),
    )
  })

  const run = Effect.gen(function* () {
    // Commands of one turn of the loop go together.
    yield* Effect.yieldNow
    while (waiting.length > 0) yield* commitAll(takeWaiting())
    running = false
  })

  return {
    submit: <A>(command: Command<Realm, A>) =>
      Effect.callback<A, Failure>((resume) => {
        waiting.push(entryOf(command, resume))
        if (running) return
        running = true
        Effect.runFork(run)
      }),
    busy: () => running,
    stop: () => {
      stopped = true
    },
  }
}
