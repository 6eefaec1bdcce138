/**
 * Which topics a channel allows, and how that may change. Every policy can be changed into every other, with one guard:
 * to `empty_topic_only` only while every message of the channel is in the empty topic already. So no message is ever in
 * a topic that its channel does not allow.
 *
 *   +---------+   +-------------------+   +---------------------+   any policy, from anywhere:
 *   | inherit |<->| allow_empty_topic |<->| disable_empty_topic |   to that policy
 *   +---------+   +-------------------+   +---------------------+
 *        ^                  ^                        ^
 *        |                  |                        |              empty_topic_only, from anywhere else:
 *        +------------------+------------------------+              [ all in the empty topic ] to it,
 *                           v                                       otherwise nothing happens
 *                 +------------------+
 *                 | empty_topic_only |
 *                 +------------------+
 *
 * channel-changes.ts asks with what the database said before; the commit asks the database again (channels.sql).
 */
import { getNextSnapshot, setup } from "xstate"
import type { TopicsPolicy } from "../../ground/realm/records.ts"

/** The event is named like the policy that is requested. */
export type TopicsPolicyEvent = { readonly type: TopicsPolicy }

interface Types {
  readonly context: { readonly allInEmptyTopic: boolean }
  readonly events: TopicsPolicyEvent
}
/** Only its types are used. */
const types: Types = { context: { allInEmptyTopic: false }, events: { type: "inherit" } }

const open = {
  inherit: { target: "inherit" },
  allow_empty_topic: { target: "allow_empty_topic" },
  disable_empty_topic: { target: "disable_empty_topic" },
} as const
const allTransitions = { ...open, empty_topic_only: { target: "empty_topic_only", guard: "allInEmptyTopic" } } as const

export const topicsPolicyMachine = setup({
  types,
  guards: { allInEmptyTopic: ({ context }) => context.allInEmptyTopic },
}).createMachine({
  context: { allInEmptyTopic: false },
  initial: "inherit",
  states: {
    inherit: { on: allTransitions },
    allow_empty_topic: { on: allTransitions },
    disable_empty_topic: { on: allTransitions },
    empty_topic_only: { on: open },
  },
})

/** The requested policy, or the present one if the guard refuses the change. */
export const nextTopicsPolicy = (
  present: TopicsPolicy,
  wanted: TopicsPolicy,
  allInEmptyTopic: boolean,
): TopicsPolicy => {
  const snapshot = topicsPolicyMachine.resolveState({ value: present, context: { allInEmptyTopic } })
  return getNextSnapshot(topicsPolicyMachine, snapshot, { type: wanted }).value
}
