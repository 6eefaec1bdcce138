/**
 * The commands of an author: one is added, changed, removed. The machine decides, from what is stored of it, whether that can
 * be and what the commit contains. One of somebody else is as one that there is not.
 */
import * as Effect from "effect/Effect"
import type { Caller } from "../../../api/endpoint.ts"
import { type ApiError, badRequest, type Checked } from "../../../api/errors.ts"
import { Clock } from "../../../clock.ts"
import { change, done, type Judgement, judged, refused } from "../../../events/command.ts"
import type { Guard, Step } from "../../../events/step.ts"
import { type Overtaken, overtaken } from "../../../overtaken.ts"
import type { ItemFields, ItemValue, OwnItem } from "../../ground/own-lists/own-list.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import type { UserRecord } from "../../ground/realm/records.ts"
import { submitAs, submitWithRecord } from "../../ground/requester/submit.ts"
import { mayNotBegin } from "../../sending/messages/send-outcome.ts"
import { stepsOf } from "./delivery.ts"
import { scheduledKind } from "./scheduled-kind.ts"
import { decide, rebuild, type ScheduledEvent, type ScheduledRefusal } from "./scheduled-machine.ts"
import { type Found, findScheduled, type Kept } from "./scheduled-store.ts"

export interface List<F extends ItemFields> extends Kept<F> {
  readonly refusals: Readonly<Record<ScheduledRefusal, ApiError>>
}

/** A value that may be kept, and what the commit asks before (may_begin_v1). */
export interface Planned<A> {
  readonly value: A
  readonly guard: Guard | undefined
}

export const notInFuture = badRequest("Scheduled delivery time must be in the future.")

const guardOf = (guard: Guard | undefined) => (guard === undefined ? {} : { guard })

/** Answers its id. */
export const addScheduled = Effect.fnUntraced(function* <F extends ItemFields>(
  { list }: List<F>,
  caller: Caller,
  seconds: number,
  plan: (realm: Realm, actor: UserRecord) => Checked<Planned<ItemValue<F>>>,
) {
  const clock = yield* Clock
  const id = yield* submitAs(
    caller,
    (realm, actor): Judgement<number> =>
      seconds * 1000 <= clock.now()
        ? refused(notInFuture)
        : judged(plan(realm, actor), ({ value, guard }) =>
            change<number>(list.added(actor.id, [value]), {
              answer: ([id = 0]) => id,
              ...guardOf(guard),
              refused: { full: refused(list.full), begin: refused(mayNotBegin) },
            }),
          ),
  )
  yield* scheduledKind.wake
  return id
})

/** Of a change or removal that has found another state than its commit. */
const again = { gone: done(overtaken), overtaken: done(overtaken) }

/** What becomes of a command, by the decision of the machine on what is stored. */
const decided = <F extends ItemFields>(
  { refusals }: List<F>,
  found: Found<F> | undefined,
  now: number,
  event: ScheduledEvent,
  commit: (item: OwnItem<F>, steps: ReturnType<typeof decide>["commit"]) => Judgement<undefined | Overtaken>,
): Judgement<undefined | Overtaken> => {
  const decision = decide(rebuild(found?.facts, now), event)
  if (decision.refusal !== undefined) return refused(refusals[decision.refusal])
  const item = found?.item
  return item === undefined ? refused(refusals.refuseGone) : commit(item, decision.commit)
}

/** `prepare`: what its value is to become, from what it is; `seconds`: the new time, undefined where it stays. */
export const changeScheduled = Effect.fnUntraced(function* <F extends ItemFields, A, E, R>(
  all: List<F>,
  caller: Caller,
  id: number,
  seconds: number | undefined,
  prepare: (value: ItemValue<F>) => Effect.Effect<A, E, R>,
  plan: (before: ItemValue<F>, prepared: A, realm: Realm) => Checked<Planned<ItemValue<F>>>,
) {
  const { list } = all
  const clock = yield* Clock
  const read = Effect.gen(function* () {
    const found = yield* findScheduled(all, caller, id)
    const event: ScheduledEvent = { type: seconds === undefined ? "edit" : "reschedule" }
    const { refusal } = decide(rebuild(found?.facts, clock.now()), event)
    if (refusal !== undefined) return yield* Effect.fail(all.refusals[refusal])
    if (found?.item === undefined) return yield* Effect.fail(all.refusals.refuseGone)
    return { found, event, prepared: yield* prepare(found.item.value) }
  })
  yield* submitWithRecord(caller, read, ({ found, event, prepared }, realm, actor) =>
    decided(all, found, clock.now(), event, (item, commit) => {
      if (seconds !== undefined && seconds * 1000 <= clock.now()) return refused(notInFuture)
      return judged(plan(item.value, prepared, realm), ({ value, guard }): Judgement<undefined | Overtaken> => {
        if (list.isSame(item, value)) return done(undefined)
        const steps = stepsOf(commit, { change: () => [list.updated(actor.id, item, value)] })
        return change<undefined | Overtaken>(steps, {
          answer: () => undefined,
          ...guardOf(guard),
          refused: { ...again, full: refused(list.full), begin: refused(mayNotBegin) },
        })
      })
    }),
  )
  yield* scheduledKind.wake
})

export const removeScheduled = Effect.fnUntraced(function* <F extends ItemFields>(
  all: List<F>,
  caller: Caller,
  id: number,
) {
  const { list } = all
  const clock = yield* Clock
  yield* submitWithRecord(caller, findScheduled(all, caller, id), (found, _realm, actor) =>
    decided(all, found, clock.now(), { type: "remove" }, (item, commit) => {
      const steps: ReadonlyArray<Step> = stepsOf(commit, { takeAway: () => [list.removed(actor.id, item.id)] })
      return change<undefined | Overtaken>(steps, { answer: () => undefined, refused: again })
    }),
  )
})
