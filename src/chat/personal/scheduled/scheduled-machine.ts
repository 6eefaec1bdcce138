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
 *   edit, reschedule, remove: in sent / refuseSent; in removed / refuseGone; both stay
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

/** What a commit contains, in the order in which it is written; done by those who ask. */
const named = () => {}
const commits = { change: named, takeAway: named, post: named, remember: named, markFailed: named, tell: named }
const refusals = { refuseGone: named, refuseSent: named, refuseWithoutTime: named }

export type ScheduledCommit = keyof typeof commits
export type ScheduledRefusal = keyof typeof refusals

const waiting = {
  reschedule: { target: "scheduled", actions: "change" },
  remove: { target: "removed", actions: "takeAway" },
} as const

export const scheduledMachine = setup({
  types,
  actions: { ...commits, ...refusals },
  guards: { isTold: ({ event }) => event.type === "refuse" && event.isTold },
}).createMachine({
  initial: "scheduled",
  states: {
    scheduled: { on: { ...waiting, come: { target: "due" }, edit: { actions: "change" } } },
    due: { on: { ...waiting, claim: { target: "sending" }, edit: { actions: "change" } } },
    sending: {
      on: {
        ...waiting,
        send: { target: "sent", actions: ["takeAway", "post", "remember"] },
        refuse: [
          { guard: "isTold", target: "failed", actions: ["markFailed", "tell"] },
          { target: "failed", actions: "markFailed" },
        ],
        edit: { target: "due", actions: "change" },
      },
    },
    failed: { on: { ...waiting, edit: { actions: "refuseWithoutTime" } } },
    sent: {
      on: {
        edit: { actions: "refuseSent" },
        reschedule: { actions: "refuseSent" },
        remove: { actions: "refuseSent" },
      },
    },
    removed: {
      on: {
        edit: { actions: "refuseGone" },
        reschedule: { actions: "refuseGone" },
        remove: { actions: "refuseGone" },
      },
    },
  },
})

const isCommit = (name: string): name is ScheduledCommit => Object.hasOwn(commits, name)
const isRefusal = (name: string): name is ScheduledRefusal => Object.hasOwn(refusals, name)

export interface Decision {
  readonly state: ScheduledState
  /** Empty where the event changes nothing. */
  readonly commit: ReadonlyArray<ScheduledCommit>
  readonly refusal: ScheduledRefusal | undefined
}

export const decide = (state: ScheduledState, event: ScheduledEvent): Decision => {
  const [next, actions] = transition(scheduledMachine, scheduledMachine.resolveState({ value: state }), event)
  const names = actions.map(({ type }) => type)
  return { state: next.value, commit: names.filter(isCommit), refusal: names.find(isRefusal) }
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
