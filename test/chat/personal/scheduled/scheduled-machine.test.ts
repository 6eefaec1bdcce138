/** The life of a scheduled message: every event in every state, and each state rebuilt from its row. */
import t from "tap"
import {
  decide,
  rebuild,
  rememberedMilliseconds,
  type ScheduledCommit,
  type ScheduledDecision,
  type ScheduledEvent,
  type ScheduledFacts,
  type ScheduledRefusal,
  type ScheduledState,
  scheduledMachine,
} from "../../../../src/chat/personal/scheduled/scheduled-machine.ts"

/** `mute`: a refusal of which nobody can be told. */
type Event = ScheduledEvent["type"] | "mute"

const eventOf = (name: Event): ScheduledEvent =>
  name === "mute"
    ? { type: "refuse", isTold: false }
    : name === "refuse"
      ? { type: "refuse", isTold: true }
      : { type: name }

const to = (state: ScheduledState, ...steps: ReadonlyArray<ScheduledCommit>): ScheduledDecision => ({
  state,
  answer: { kind: "commit", steps },
})
const refuses = (state: ScheduledState, refusal: ScheduledRefusal): ScheduledDecision => ({
  state,
  answer: { kind: "refuse", refusal },
})

/** What the scheduler says to one that is not being sent changes nothing. */
const deaf = (state: ScheduledState) => ({
  come: to(state),
  claim: to(state),
  send: to(state),
  refuse: to(state),
  mute: to(state),
})
const waiting = { reschedule: to("scheduled", "change"), remove: to("removed", "takeAway") }

const table: Readonly<Record<ScheduledState, Readonly<Record<Event, ScheduledDecision>>>> = {
  scheduled: { ...deaf("scheduled"), ...waiting, come: to("due"), edit: to("scheduled", "change") },
  due: { ...deaf("due"), ...waiting, claim: to("sending"), edit: to("due", "change") },
  sending: {
    ...deaf("sending"),
    ...waiting,
    send: to("sent", "takeAway", "post", "remember"),
    refuse: to("failed", "markFailed", "tell"),
    mute: to("failed", "markFailed"),
    edit: to("due", "change"),
  },
  failed: { ...deaf("failed"), ...waiting, edit: refuses("failed", "refuseWithoutTime") },
  sent: {
    ...deaf("sent"),
    edit: refuses("sent", "refuseSent"),
    reschedule: refuses("sent", "refuseSent"),
    remove: refuses("sent", "refuseGone"),
  },
  removed: {
    ...deaf("removed"),
    edit: refuses("removed", "refuseGone"),
    reschedule: refuses("removed", "refuseGone"),
    remove: refuses("removed", "refuseGone"),
  },
}

const states = Object.keys(table) as ReadonlyArray<ScheduledState>

t.test("every event in every state", async (t) => {
  t.same(Object.keys(scheduledMachine.states).sort(), [...states].sort(), "a row for each state")
  const known = new Set(scheduledMachine.events.map(String))
  for (const state of states) {
    const events = Object.keys(table[state]) as ReadonlyArray<Event>
    t.same(new Set(events.map((event) => eventOf(event).type)), known, `${state}: an entry for each event`)
    for (const event of events) t.strictSame(decide(state, eventOf(event)), table[state][event], `${state} × ${event}`)
  }
})

t.test("each state is rebuilt from what is stored", async (t) => {
  const now = 1_000_000_000
  const row: ScheduledFacts = { dueAt: now + 1, isFailed: false, sentAt: null, isClaimed: false }
  const rebuilt = (facts: Partial<ScheduledFacts>) => rebuild({ ...row, ...facts }, now)
  t.equal(rebuilt({}), "scheduled")
  t.equal(rebuilt({ dueAt: now }), "due", "at its millisecond")
  t.equal(rebuilt({ dueAt: now - 1, isClaimed: true }), "sending")
  t.equal(rebuilt({ isClaimed: true }), "sending", "also where the clock was set back since")
  t.equal(rebuilt({ dueAt: now - 1, isFailed: true }), "failed")
  t.equal(rebuilt({ isFailed: true }), "failed")
  t.equal(rebuilt({ sentAt: now }), "sent")
  t.equal(rebuilt({ sentAt: now - rememberedMilliseconds + 1 }), "sent")
  t.equal(rebuilt({ sentAt: now - rememberedMilliseconds }), "removed", "it is known for a day")
  t.equal(rebuild(undefined, now), "removed")
})
