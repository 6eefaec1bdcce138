/**
 * The life of a message that is sent later, or of a reminder. It decides what a commit about one contains, and which requests
 * are refused: delivery.ts and the endpoints do what `decide` answers, and nothing else. Its state is nowhere but in its row
 * and in that of the outbox, and `rebuild` reads it from there, also after a crash.
 *
 *   +-----------+  come  +-----+  claim  +---------+  send / takeAway, post, remember  +------+
 *   | scheduled | -----> | due | ------> | sending | --------------------------------> | sent |
 *   +-----------+        +-----+         +---------+                                   +------+
 *         ^                                   |  refuse / markFailed, [ is told ] tell
 *         |  reschedule / change              v
 *         |  (from each of the others)   +--------+
 *         +----------------------------- | failed |
 *                                        +--------+
 *
 *   edit: in scheduled and due / change, stays; in sending / change, to due: the claim was of what it was before;
 *         in failed / refuseWithoutTime, stays
 *   remove: from scheduled, due, sending, failed / takeAway, to removed
 *   edit, reschedule: in sent / refuseSent; in removed / refuseGone; both stay
 *   remove: in sent and removed / refuseGone; both stay
 *
 * An attempt that ends without a commit leaves no trace here: when its claim is over, the row is due again.
 */
import { setup, transition } from "xstate"

export type ScheduledState = "scheduled" | "due" | "sending" | "sent" | "failed" | "removed"

export type ScheduledEvent =
  /** Its time has come. */
  | { readonly type: "come" }
  /** The outbox has given it to somebody who is to send it. */
  | { readonly type: "claim" }
  /** It may be sent. */
  | { readonly type: "send" }
  /** It may not. `isTold`: its author can be told. */
  | { readonly type: "refuse"; readonly isTold: boolean }
  /** Its author changes it, but not its time. */
  | { readonly type: "edit" }
  | { readonly type: "reschedule" }
  | { readonly type: "remove" }

interface Types {
  readonly events: ScheduledEvent
}
/** Only its types are used. */
const types: Types = { events: { type: "come" } }

/** What a commit contains; done by those who ask. */
export type ScheduledCommit = "change" | "takeAway" | "post" | "remember" | "markFailed" | "tell"
export type ScheduledRefusal = "refuseGone" | "refuseSent" | "refuseWithoutTime"

/** What follows of an event, done by those who ask. */
export type ScheduledAnswer =
  /** `steps`: in the order in which they are written; empty where the event changes nothing. */
  | { readonly kind: "commit"; readonly steps: ReadonlyArray<ScheduledCommit> }
  | { readonly kind: "refuse"; readonly refusal: ScheduledRefusal }

/** The machine only says it: its one action does nothing. */
const actions = { answer: (_: unknown, _answer: ScheduledAnswer) => {} }

const answer = (params: ScheduledAnswer) => ({ type: "answer", params }) as const
const commit = (...steps: ReadonlyArray<ScheduledCommit>) => answer({ kind: "commit", steps })
const refuse = (refusal: ScheduledRefusal) => answer({ kind: "refuse", refusal })

const waiting = {
  reschedule: { target: "scheduled", actions: commit("change") },
  remove: { target: "removed", actions: commit("takeAway") },
} as const

export const scheduledMachine = setup({
  types,
  actions,
  guards: { isTold: ({ event }) => event.type === "refuse" && event.isTold },
}).createMachine({
  initial: "scheduled",
  states: {
    scheduled: { on: { ...waiting, come: { target: "due" }, edit: { actions: commit("change") } } },
    due: { on: { ...waiting, claim: { target: "sending" }, edit: { actions: commit("change") } } },
    sending: {
      on: {
        ...waiting,
        send: { target: "sent", actions: commit("takeAway", "post", "remember") },
        refuse: [
          { guard: "isTold", target: "failed", actions: commit("markFailed", "tell") },
          { target: "failed", actions: commit("markFailed") },
        ],
        edit: { target: "due", actions: commit("change") },
      },
    },
    failed: { on: { ...waiting, edit: { actions: refuse("refuseWithoutTime") } } },
    sent: {
      on: {
        edit: { actions: refuse("refuseSent") },
        reschedule: { actions: refuse("refuseSent") },
        remove: { actions: refuse("refuseGone") },
      },
    },
    removed: {
      on: {
        edit: { actions: refuse("refuseGone") },
        reschedule: { actions: refuse("refuseGone") },
        remove: { actions: refuse("refuseGone") },
      },
    },
  },
})

/** `state`: the one that follows. */
export interface ScheduledDecision {
  readonly state: ScheduledState
  readonly answer: ScheduledAnswer
}

const nothingToDo: ScheduledAnswer = { kind: "commit", steps: [] }

export const decide = (state: ScheduledState, event: ScheduledEvent): ScheduledDecision => {
  const [next, [action]] = transition(scheduledMachine, scheduledMachine.resolveState({ value: state }), event)
  return { state: next.value, answer: action?.type === "answer" ? action.params : nothingToDo }
}

/** What is stored of one. Times are in milliseconds since the Unix epoch. */
export interface ScheduledFacts {
  readonly dueAt: number
  readonly isFailed: boolean
  /** When it was sent; null: it was not. */
  readonly sentAt: number | null
  /** Somebody is at work on it, or was when they were killed. */
  readonly isClaimed: boolean
}

/** How long it is known that one was sent. */
export const rememberedMilliseconds = 24 * 3600_000

/** The state of one at a time; undefined: there is no row of it. */
export const rebuild = (facts: ScheduledFacts | undefined, now: number): ScheduledState => {
  if (facts === undefined) return "removed"
  if (facts.sentAt !== null) return facts.sentAt + rememberedMilliseconds > now ? "sent" : "removed"
  if (facts.isFailed) return "failed"
  // Who has claimed it found its time to have come. The clock may have been set back since.
  const events: ReadonlyArray<ScheduledEvent> = [
    ...(facts.isClaimed || facts.dueAt <= now ? [{ type: "come" } as const] : []),
    ...(facts.isClaimed ? [{ type: "claim" } as const] : []),
  ]
  return events.reduce<ScheduledState>((state, event) => decide(state, event).state, "scheduled")
}
