/**
 * Sends one when its time has come, for the outbox: what is sent and the end of its row are one commit, so it is sent once,
 * whatever is cut off in the middle, and what was changed or removed meanwhile is not. What the commit contains is decided by
 * the machine. Without a commit the row is due again, and tried again.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Caller } from "../../../api/endpoint.ts"
import {
  type ApiError,
  badRequest,
  type Checked,
  isForNow,
  type RequestFailure,
  Unavailable,
} from "../../../api/errors.ts"
import { Clock } from "../../../clock.ts"
import { change, done, type Judgement } from "../../../events/command.ts"
import type { CommandStep, NewCalls, NewRow } from "../../../events/step.ts"
import { UserId } from "../../../ids.ts"
import { ending, type OutboxEntry } from "../../../jobs/outbox/outbox-entry.ts"
import type { Json, JsonObject } from "../../../json.ts"
import type { ItemFields, ItemValue, OwnItem } from "../../ground/own-lists/own-list.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import { Realms } from "../../ground/realm/realms.ts"
import type { UserRecord } from "../../ground/realm/records.ts"
import { mayNotBegin } from "../../sending/messages/send-outcome.ts"
import { noticeSteps } from "../../sending/notices/notices.ts"
import { refusalWords } from "../../sending/notices/refusal-words.ts"
import { refusalNotice } from "./delivery-notices.ts"
import type { ScheduledItemKind } from "./scheduled-lists.ts"
import { decide, rebuild, type ScheduledAnswer, type ScheduledCommit } from "./scheduled-machine.ts"
import { findScheduled, type ScheduledSource } from "./scheduled-store.ts"

/** What a row of the outbox carries. */
export interface DueItem {
  readonly noun: ScheduledItemKind
  readonly user: number
  readonly id: number
}

/** What is sent by the rules of a moment, and what its commit asks before (may_deliver_v1). */
interface PlannedDelivery {
  /** Rows before it. */
  readonly met?: ReadonlyArray<NewRow>
  readonly step: NewCalls
  /** Steps behind it. */
  readonly after?: ReadonlyArray<NewCalls>
  readonly asks: JsonObject
}

/** Ready to be judged. */
export interface PreparedDelivery<R> {
  readonly plan: (realm: Realm, author: UserRecord, caller: Caller) => Checked<PlannedDelivery>
  /** After the commit, with what the step answered. */
  readonly sent: (outcomes: ReadonlyArray<Json>) => Effect.Effect<void, never, R>
}

/** How the items of a list are sent. */
export interface ScheduledDelivery<F extends ItemFields, R, S> extends ScheduledSource<F> {
  readonly prepare: (value: ItemValue<F>, caller: Caller) => Effect.Effect<PreparedDelivery<S>, RequestFailure, R>
  readonly asFailed: (value: ItemValue<F>) => ItemValue<F>
  /** What the item has kept of the request that made it. */
  readonly caller: (value: ItemValue<F>) => Pick<Caller, "client" | "origin">
}

/** After so many attempts that failed, or ended their process, it is said to have failed. */
const mostAttempts = 12
const brokenDown = badRequest("The server failed to send it.")

/** Another attempt may end otherwise: the refusal says nothing about the message itself. */
const passes = ({ code }: ApiError, isActive: boolean): boolean =>
  isForNow(code) || (code === "UNAUTHORIZED" && isActive)

type DeliveryOutcome =
  | { readonly as: "sent"; readonly outcomes: ReadonlyArray<Json> }
  | { readonly as: "failed" | "gone" | "begin" }
  | { readonly as: "again"; readonly why: string }

type Makers = Partial<Readonly<Record<ScheduledCommit, () => ReadonlyArray<CommandStep>>>>

/** The steps of a commit that the machine has decided. Throws where it has decided something else than is made here. */
export const stepsOf = (answer: ScheduledAnswer, makers: Makers): ReadonlyArray<CommandStep> => {
  if (answer.kind === "refuse") throw new Error(`nobody here expects ${answer.refusal}`)
  return answer.steps.flatMap((name) => {
    const make = makers[name]
    if (make === undefined) throw new Error(`nobody here makes ${name}`)
    return make()
  })
}

/** Judges an item that is being sent, by the rules of now. */
const judgeDelivery = <F extends ItemFields, R, S>(
  realm: Realm,
  { itemKind, list, asFailed }: ScheduledDelivery<F, R, S>,
  entry: OutboxEntry<DueItem>,
  item: OwnItem<F>,
  plan: (author: UserRecord) => Checked<PlannedDelivery>,
): Judgement<DeliveryOutcome> => {
  const user = UserId(entry.payload.user)
  const author = realm.users.get(user)
  const isActive = realm.isActive(user) && !realm.isDeactivated
  const planned = author === undefined ? Result.fail(brokenDown) : plan(author)
  const { guard, step } = ending(entry)
  const refused = {
    gone: done<DeliveryOutcome>({ as: "gone" }),
    begin: done<DeliveryOutcome>({ as: "begin" }),
    moved: done<DeliveryOutcome>({ as: "again", why: "the message was moved meanwhile" }),
  }
  if (Result.isSuccess(planned)) {
    const steps = stepsOf(decide("sending", { type: "send" }).answer, {
      takeAway: () => [list.removed(user, item.id)],
      post: () => [...(planned.success.met ?? []), planned.success.step, ...(planned.success.after ?? [])],
      remember: () => [{ fn: "remember_sent_v1", calls: [{ noun: itemKind, user, id: item.id }], keepsRules: true }],
    })
    return change<DeliveryOutcome>([...steps, step], {
      answer: (_positions, outcomes) => ({ as: "sent", outcomes }),
      guard: { fn: "may_deliver_v1", args: { entry: guard.args, ...planned.success.asks } },
      refused,
    })
  }
  const refusal = planned.failure
  if (passes(refusal, isActive)) return done<DeliveryOutcome>({ as: "again", why: refusal.msg })
  const steps = stepsOf(decide("sending", { type: "refuse", isTold: isActive }).answer, {
    markFailed: () => [list.updated(user, item, asFailed(item.value))],
    tell: () =>
      author === undefined
        ? []
        : noticeSteps(realm, [{ user: author, content: refusalNotice(itemKind, entry.dueAt, refusalWords(refusal)) }]),
  })
  return change<DeliveryOutcome>([...steps, step], {
    answer: () => ({ as: "failed" }),
    guard: { fn: "may_deliver_v1", args: { entry: guard.args } },
    refused,
  })
}

/** What was prepared, or the refusal that it ended in. */
const checkedOf = <A, R>(work: Effect.Effect<A, RequestFailure, R>) =>
  work.pipe(
    Effect.map((done): Checked<A> => Result.succeed(done)),
    Effect.catchTag("ApiError", (failure) => Effect.succeed<Checked<A>>(Result.fail(failure))),
  )

/** The handler of a list's rows in the outbox. */
export const deliverer =
  <F extends ItemFields, R, S>(delivery: ScheduledDelivery<F, R, S>) =>
  (entry: OutboxEntry<DueItem>) =>
    Effect.gen(function* () {
      const [realm, user] = [entry.realm, UserId(entry.payload.user)]
      const realms = yield* Realms
      const found = yield* findScheduled(delivery, { realm, user }, entry.payload.id)
      const { item } = found ?? {}
      const state = rebuild(found?.deliveryState, (yield* Clock).now())
      // Changed or removed since it was claimed: its row in the outbox is another, or gone.
      if (item === undefined || state !== "sending" || found?.claim !== entry.claim) return

      const runtime = yield* realms.get(realm)
      const callerIn = ({ users }: Realm): Caller => ({
        realm,
        user,
        keyVersion: users.get(user)?.key_version ?? 0,
        ...delivery.caller(item.value),
      })
      const settle = (prepared: Checked<PreparedDelivery<S>>) =>
        realms.submit(realm, {
          judge: (now) =>
            judgeDelivery(now, delivery, entry, item, (author) =>
              Result.flatMap(prepared, ({ plan }) => plan(now, author, callerIn(now))),
            ),
        })
      const prepared: Checked<PreparedDelivery<S>> =
        entry.attempts > mostAttempts
          ? Result.fail(brokenDown)
          : yield* checkedOf(delivery.prepare(item.value, callerIn(runtime.realm)))
      const first = yield* settle(prepared)
      const settled = first.as === "begin" ? yield* settle(Result.fail(mayNotBegin)) : first
      if (settled.as === "again") return yield* new Unavailable({ reason: settled.why })
      if (settled.as === "sent" && Result.isSuccess(prepared)) yield* prepared.success.sent(settled.outcomes)
    })
