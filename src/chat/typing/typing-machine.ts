/**
 * What may happen to one person's typing in one conversation. It guarantees that every announced start is followed by
 * an announced stop as long as the process lives. It only says what is to be announced; typing.ts tells whom.
 *
 *                     start / announce start
 *       +--------+ ---------------------------> +--------+ ---+  start / announce start,
 *   --> | silent |                              | typing |    |  arm the expiry anew
 *       +--------+ <--------------------------- +--------+ <--+
 *         |    ^    stop, expiry / announce stop
 *         +----+
 *          stop / announce stop
 *
 * A stop while silent is announced, too: the start may have been announced by this server before a restart, and those
 * who saw it would show the indicator until it expires with them. To everybody else it says nothing new.
 */
import { createActor, emit, setup } from "xstate"
import type { ClockShape, Timer } from "../../clock.ts"
import type { TypingPayload } from "./typing-event.ts"

export type TypingOp = TypingPayload["op"]

/** What the typist's client says; the expiry is the machine's own. */
export type TypingEvent = { readonly type: "start" } | { readonly type: "stop" }

interface Settings {
  /** An indicator that is not renewed for so long is taken back. */
  readonly expiryMilliseconds: number
}

interface Types {
  readonly context: Settings
  readonly input: Settings
  readonly events: TypingEvent
  readonly emitted: { readonly type: "announce"; readonly op: TypingOp }
}
/** Only its types are used. */
const types: Types = {
  context: { expiryMilliseconds: 0 },
  input: { expiryMilliseconds: 0 },
  events: { type: "start" },
  emitted: { type: "announce", op: "start" },
}

export const typingMachine = setup({
  types,
  actions: {
    announceStart: emit({ type: "announce", op: "start" }),
    announceStop: emit({ type: "announce", op: "stop" }),
  },
  delays: { expiry: ({ context }) => context.expiryMilliseconds },
}).createMachine({
  context: ({ input }) => input,
  initial: "silent",
  states: {
    silent: {
      on: {
        start: { target: "typing" },
        stop: { actions: "announceStop" },
      },
    },
    typing: {
      entry: "announceStart",
      on: {
        start: { target: "typing", reenter: true },
        stop: { target: "silent", actions: "announceStop" },
      },
      after: { expiry: { target: "silent", actions: "announceStop" } },
    },
  },
})

/** An actor in `silent`, not yet started, whose expiry runs on `clock`. It emits what is to be announced. */
export const createTypingActor = (clock: ClockShape, expiryMilliseconds: number) =>
  createActor(typingMachine, {
    input: { expiryMilliseconds },
    clock: {
      setTimeout: (task, ms) => clock.after(ms, task),
      clearTimeout: (timer: Timer) => timer.cancel(),
    },
  })
