/**
 * The states of one user's typing indicator in one conversation. It guarantees that every announced start is followed
 * by an announced stop as long as the process lives. It only decides what is announced; typing.ts decides to whom.
 *
 *                     start / announce start
 *       +--------+ ---------------------------> +--------+ ---+  start / announce start,
 *   --> | silent |                              | typing |    |  arm the expiry anew
 *       +--------+ <--------------------------- +--------+ <--+
 *         |    ^    stop, expiry / announce stop
 *         +----+
 *          stop / announce stop
 *
 * A stop while silent is announced, too: the start may have been announced before a restart of the server, and clients
 * would show the indicator until their own timeout. For all other clients it changes nothing.
 */
import { createActor, emit, setup } from "xstate"
import type { ClockShape, Timer } from "../../../clock.ts"
import type { TypingPayload } from "./typing-event.ts"

export type TypingOp = TypingPayload["op"]

/** The events from the typist's client; the expiry is a timer of the machine itself. */
export type TypingEvent = { readonly type: "start" } | { readonly type: "stop" }

interface TypingSettings {
  /** After this time without a new start, the stop is announced. */
  readonly expiryMilliseconds: number
}

interface Types {
  readonly context: TypingSettings
  readonly input: TypingSettings
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

/** An actor in the state `silent`, not yet started, with its timer on `clock`. It emits the announcements. */
export const createTypingActor = (clock: ClockShape, expiryMilliseconds: number) =>
  createActor(typingMachine, {
    input: { expiryMilliseconds },
    clock: {
      setTimeout: (task, ms) => clock.after(ms, task),
      clearTimeout: (timer: Timer) => timer.cancel(),
    },
  })
