/**
 * Commands over many items. Everything is checked in the judgement of the first chunk; what does not fit into it is
 * stored with its commit and goes on in chunks, each judged on the realm of its moment: rights are not asked again,
 * and what has become pointless meanwhile (who has left, what is archived) is passed over. Between chunks the log's
 * lock is left free for as long as the last one took. The requester is answered after the last; what a crash or a
 * lost database leaves undone the worker finishes, exactly once. A capability brings its chunks as a `BulkKind`, listed
 * in chat/capabilities.ts, and hands its commands to `run`.
 */
import { randomUUID } from "node:crypto"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Clock } from "../../clock.ts"
import { Database } from "../../db/database.ts"
import { type Failure, OutcomeUnknown, type Unavailable } from "../../errors.ts"
import {
  type Change,
  type Command,
  change,
  type Done,
  done,
  type Judgement,
  type Refused,
} from "../../events/command.ts"
import type { Step, WorkMark } from "../../events/step.ts"
import type { RealmId } from "../../ids.ts"
import type { JsonObject } from "../../json.ts"
import type { Realm } from "../realm/realm.ts"
import { Realms } from "../realm/realms.ts"
import { listUnfinished, type Unfinished } from "./bulk-store.ts"

/** So many items change something in one commit, and no more: the lock is held for 50 ms at most. */
export const chunkItems = 500

export interface Chunk {
  /** None where every item of the chunk is done already or has become pointless. */
  readonly steps: ReadonlyArray<Step>
  /** The item with which the next chunk begins; null: this was the last. */
  readonly next: number | null
}

/** The chunk that begins with an item, made of the realm as it is now. Must not wait, and must not change anything. */
type ChunkFrom = (realm: Realm, from: number) => Chunk

/** What a command's first call leaves to be done: all items from `from` on. */
export interface Rest {
  readonly kind: string
  /** As they are stored; from them alone the work is taken up again. */
  readonly args: JsonObject
  readonly from: number
  readonly chunk: ChunkFrom
}

/** A kind of work by the name under which it is stored. */
export interface StoredKind {
  readonly name: string
  /** Throws where the arguments are not of this kind. */
  readonly restore: (args: unknown, from: number) => Rest
}

export interface BulkKind<Args> extends StoredKind {
  readonly chunk: (realm: Realm, args: Args, from: number) => Chunk
  readonly rest: (args: Args, from: number) => Rest
}

/** `read` decodes stored arguments, of older programs too, and throws where it cannot. */
export const bulkKind = <Args extends JsonObject>(
  name: string,
  read: (stored: unknown) => Args,
  chunk: (realm: Realm, args: Args, from: number) => Chunk,
): BulkKind<Args> => {
  const rest = (args: Args, from: number): Rest => ({
    kind: name,
    args,
    from,
    chunk: (realm, at) => chunk(realm, args, at),
  })
  return { name, chunk, rest, restore: (stored, from) => rest(read(stored), from) }
}

/** As a command's judgement; `Begin`: the steps are the first of several chunks. */
export type BulkJudgement<A> =
  | Judgement<A>
  | { readonly _tag: "Begin"; readonly steps: ReadonlyArray<Step>; readonly rest: Rest; readonly given: Change<A> }

const nothing: Change<void> = { answer: () => undefined }

/** As `change`, with what is left to do after it, if anything is. Where it is refused under the lock nothing is left. */
export function begin(steps: ReadonlyArray<Step>, rest: Rest | null): BulkJudgement<void>
export function begin<A>(steps: ReadonlyArray<Step>, rest: Rest | null, given: Change<A>): BulkJudgement<A>
export function begin<A>(
  steps: ReadonlyArray<Step>,
  rest: Rest | null,
  given?: Change<A>,
): BulkJudgement<A> | BulkJudgement<void> {
  if (given === undefined) return rest === null ? change(steps) : { _tag: "Begin", steps, rest, given: nothing }
  return rest === null ? change(steps, given) : { _tag: "Begin", steps, rest, given }
}

export interface BulkCommand<A> {
  readonly judge: (realm: Realm) => BulkJudgement<A>
}

interface BulkShape {
  /** Answers after the last chunk. Fails with OutcomeUnknown where the rest will be done later. */
  readonly run: <A>(realm: RealmId, command: BulkCommand<A>) => Effect.Effect<A, Failure>
  /** Looks for what was begun and is not under way, and goes on with it, by and by. */
  readonly finish: Effect.Effect<void, Unavailable>
}

const mark = (id: string, rest: Rest, from: number | null, next: number | null): WorkMark => ({
  id,
  from,
  next,
  ...(from === null ? { kind: rest.kind, args: rest.args } : {}),
})

interface Begun<A> {
  readonly answer: A
  readonly rest: Rest | null
}

const withRest = <A>(judged: Done<A> | Refused, rest: Rest | null): Done<Begun<A>> | Refused =>
  judged._tag === "Done" ? { _tag: "Done", answer: { answer: judged.answer, rest } } : judged

/** The call that changes something and, where it leaves a rest, stores that. */
const firstJudgement = <A>(id: string, judgement: BulkJudgement<A>): Judgement<Begun<A>> => {
  switch (judgement._tag) {
    case "Begin": {
      const { steps, rest, given } = judgement
      const words = Object.entries(given.refused ?? {}).map(([word, told]) => [word, withRest(told, null)] as const)
      return change(steps, {
        ...given,
        answer: (positions) => ({ answer: given.answer(positions), rest }),
        refused: Object.fromEntries(words),
        work: mark(id, rest, null, rest.from),
      })
    }
    case "Call":
      return { ...judgement, read: (outcome) => withRest(judgement.read(outcome), null) }
    default:
      return withRest(judgement, null)
  }
}

/** Answers where the next chunk begins. Null, too, where somebody else has done this one. */
const chunkCommand = (id: string, rest: Rest, from: number): Command<Realm, number | null> => ({
  judge: (realm) => {
    const { steps, next } = rest.chunk(realm, from)
    return change<number | null>(steps, {
      answer: () => next,
      refused: { done: done(null) },
      work: mark(id, rest, from, next),
    })
  },
})

export class Bulk extends Context.Service<Bulk, BulkShape>()("parley/chat/Bulk") {
  static readonly layer = (kinds: ReadonlyArray<StoredKind>, logDefect: (what: string, cause: unknown) => void) =>
    Layer.effect(
      Bulk,
      Effect.gen(function* () {
        const realms = yield* Realms
        const clock = yield* Clock
        const database = yield* Database
        /** Works that a request or the worker is at, and those that cannot be done by this program. */
        const taken = new Set<string>()
        let stopped = false
        yield* Effect.addFinalizer(() =>
          Effect.sync(() => {
            stopped = true
          }),
        )

        const pause = (milliseconds: number) =>
          milliseconds <= 0
            ? Effect.void
            : Effect.callback<void>((resume) => {
                const timer = clock.after(milliseconds, () => resume(Effect.void))
                return Effect.sync(() => timer.cancel())
              })

        const goOn = Effect.fnUntraced(function* (realm: RealmId, id: string, rest: Rest, took: number) {
          let free = took
          for (let from: number | null = rest.from; from !== null; ) {
            yield* pause(free)
            if (stopped) return yield* new OutcomeUnknown({ reason: "the server stops; the rest is done later" })
            const began = clock.elapsed()
            from = yield* realms.submit(realm, chunkCommand(id, rest, from))
            free = clock.elapsed() - began
          }
        })

        const run = Effect.fnUntraced(function* <A>(realm: RealmId, command: BulkCommand<A>) {
          const id = randomUUID()
          const first: Command<Realm, Begun<A>> = { judge: (realm) => firstJudgement(id, command.judge(realm)) }
          const work = Effect.gen(function* () {
            const began = clock.elapsed()
            const begun = yield* realms.submit(realm, first)
            if (begun.rest !== null)
              yield* Effect.catchTag(goOn(realm, id, begun.rest, clock.elapsed() - began), "Unavailable", () =>
                // The first chunks are done, so it cannot be said that nothing was.
                Effect.fail(new OutcomeUnknown({ reason: "the rest of the command is done later" })),
              )
            return begun.answer
          })
          taken.add(id)
          return yield* Effect.ensuring(
            work,
            Effect.sync(() => taken.delete(id)),
          )
        })

        const takeUp = ({ realm, id, kind, args, done }: Unfinished) => {
          const work = Effect.suspend(() => {
            const known = kinds.find(({ name }) => name === kind)
            if (known === undefined) throw new Error(`there is no work of the kind ${kind}`)
            return goOn(realm, id, known.restore(args, done), 0)
          })
          return Effect.catchDefect(
            Effect.andThen(
              Effect.ignore(work),
              Effect.sync(() => taken.delete(id)),
            ),
            // It stays where it is, and this program does not try it again.
            (defect) => Effect.sync(() => logDefect("work that was begun cannot be finished", defect)),
          )
        }

        const finish = Effect.gen(function* () {
          const found = (yield* listUnfinished(database)).filter(({ id }) => !taken.has(id))
          for (const { id } of found) taken.add(id)
          if (found.length > 0) Effect.runFork(Effect.forEach(found, takeUp, { discard: true }))
        })

        return Bulk.of({ run, finish })
      }),
    )
}
