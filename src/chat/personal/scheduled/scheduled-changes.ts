/**
 * The commands of an author: one is added, changed, removed. The machine decides, from what is stored of it, whether that can
 * be and what the commit contains. One of somebody else is as one that there is not.
 */
import * as Effect from "effect/Effect"
import type { Caller } from "../../../api/endpoint.ts"
import { type ApiError, badRequest, type Checked } from "../../../api/errors.ts"
import { Clock } from "../../../clock.ts"
import { type Conflict, conflict } from "../../../conflict.ts"
import { change, done, type Judgement, judgementOf, refused } from "../../../events/command.ts"
import type { CommandGuard, CommandStep } from "../../../events/step.ts"
import type { ItemFields, ItemValue, OwnItem } from "../../ground/own-lists/own-list.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import type { UserRecord } from "../../ground/realm/records.ts"
import { submitAs, submitWithRecord } from "../../ground/requester/submit.ts"
import { mayNotBegin } from "../../sending/messages/send-outcome.ts"
import { stepsOf } from "./delivery.ts"
import { scheduledKind } from "./scheduled-kind.ts"
import {
  decide,
  rebuild,
  type ScheduledAnswer,
  type ScheduledEvent,
  type ScheduledRefusal,
} from "./scheduled-machine.ts"
import { type FoundScheduled, findScheduled, type ScheduledSource } from "./scheduled-store.ts"

export interface ScheduledList<F extends ItemFields> extends ScheduledSource<F> {
  readonly refusals: Readonly<Record<ScheduledRefusal, ApiError>>
}

/** A value that may be kept, and what the commit asks before (may_begin_v1). */
export interface PlannedItem<A> {
  readonly value: A
  readonly guard: CommandGuard | undefined
}

export const notInFuture = badRequest("Scheduled delivery time must be in the future.")

const guardOf = (guard: CommandGuard | undefined) => (guard === undefined ? {} : { guard })

/** Answers its id. */
export const addScheduled = Effect.fnUntraced(function* <F extends ItemFields>(
  { list }: ScheduledList<F>,
  caller: Caller,
  seconds: number,
  plan: (realm: Realm, actor: UserRecord) => Checked<PlannedItem<ItemValue<F>>>,
) {
  const clock = yield* Clock
  const id = yield* submitAs(
    caller,
    (realm, actor): Judgement<number> =>
      seconds * 1000 <= clock.now()
        ? refused(notInFuture)
        : judgementOf(plan(realm, actor), ({ value, guard }) =>
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
const again = { gone: done(conflict), overtaken: done(conflict) }

/** What becomes of a command, by the decision of the machine on what is stored. */
const decided = <F extends ItemFields>(
  { refusals }: ScheduledList<F>,
  found: FoundScheduled<F> | undefined,
  now: number,
  event: ScheduledEvent,
  commit: (item: OwnItem<F>, answer: ScheduledAnswer) => Judgement<undefined | Conflict>,
): Judgement<undefined | Conflict> => {
  const { answer } = decide(rebuild(found?.deliveryState, now), event)
  if (answer.kind === "refuse") return refused(refusals[answer.refusal])
  const item = found?.item
  return item === undefined ? refused(refusals.refuseGone) : commit(item, answer)
}

/** `prepare`: what its value is to become, from what it is; `seconds`: the new time, undefined where it stays. */
export const changeScheduled = Effect.fnUntraced(function* <F extends ItemFields, A, E, R>(
  all: ScheduledList<F>,
  caller: Caller,
  id: number,
  seconds: number | undefined,
  prepare: (value: ItemValue<F>) => Effect.Effect<A, E, R>,
  plan: (before: ItemValue<F>, prepared: A, realm: Realm) => Checked<PlannedItem<ItemValue<F>>>,
) {
  const { list } = all
  const clock = yield* Clock
  const read = Effect.gen(function* () {
    const found = yield* findScheduled(all, caller, id)
    const event: ScheduledEvent = { type: seconds === undefined ? "edit" : "reschedule" }
    const { answer } = decide(rebuild(found?.deliveryState, clock.now()), event)
    if (answer.kind === "refuse") return yield* Effect.fail(all.refusals[answer.refusal])
    if (found?.item === undefined) return yield* Effect.fail(all.refusals.refuseGone)
    return { found, event, prepared: yield* prepare(found.item.value) }
  })
  yield* submitWithRecord(caller, read, ({ found, event, prepared }, realm, actor) =>
    decided(all, found, clock.now(), event, (item, answer) => {
      if (seconds !== undefined && seconds * 1000 <= clock.now()) return refused(notInFuture)
      return judgementOf(plan(item.value, prepared, realm), ({ value, guard }): Judgement<undefined | Conflict> => {
        if (list.isSame(item, value)) return done(undefined)
        const steps = stepsOf(answer, { change: () => [list.updated(actor.id, item, value)] })
        return change<undefined | Conflict>(steps, {
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
  all: ScheduledList<F>,
  caller: Caller,
  id: number,
) {
  const { list } = all
  const clock = yield* Clock
  yield* submitWithRecord(caller, findScheduled(all, caller, id), (found, _realm, actor) =>
    decided(all, found, clock.now(), { type: "remove" }, (item, answer) => {
      const steps: ReadonlyArray<CommandStep> = stepsOf(answer, { takeAway: () => [list.removed(actor.id, item.id)] })
      return change<undefined | Conflict>(steps, { answer: () => undefined, refused: again })
    }),
  )
})
