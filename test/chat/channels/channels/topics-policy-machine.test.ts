/** The topics policy of a channel: every requested policy in every state, with and without the guard. */
import t from "tap"
import { nextTopicsPolicy, topicsPolicyMachine } from "../../../../src/chat/channels/channels/topics-policy-machine.ts"
import { type TopicsPolicy, topicsPolicies } from "../../../../src/chat/ground/realm/records.ts"

/** The outcome of each wanted policy: `free` while all messages are in the empty topic, `bound` while some are not. */
interface Expected {
  readonly free: TopicsPolicy
  readonly bound: TopicsPolicy
}

const to = (policy: TopicsPolicy): Expected => ({ free: policy, bound: policy })
const stays = (policy: TopicsPolicy): Expected => ({ free: "empty_topic_only", bound: policy })

const open = {
  inherit: to("inherit"),
  allow_empty_topic: to("allow_empty_topic"),
  disable_empty_topic: to("disable_empty_topic"),
}

const table: Readonly<Record<TopicsPolicy, Readonly<Record<TopicsPolicy, Expected>>>> = {
  inherit: { ...open, empty_topic_only: stays("inherit") },
  allow_empty_topic: { ...open, empty_topic_only: stays("allow_empty_topic") },
  disable_empty_topic: { ...open, empty_topic_only: stays("disable_empty_topic") },
  empty_topic_only: { ...open, empty_topic_only: to("empty_topic_only") },
}

t.test("every event in every state", async (t) => {
  t.same(Object.keys(topicsPolicyMachine.states).sort(), [...topicsPolicies].sort(), "a state for each policy")
  for (const present of topicsPolicies) {
    for (const wanted of topicsPolicies) {
      const { free, bound } = table[present][wanted]
      t.equal(nextTopicsPolicy(present, wanted, true), free, `${present} × ${wanted}, all in the empty topic`)
      t.equal(nextTopicsPolicy(present, wanted, false), bound, `${present} × ${wanted}, others beside it`)
    }
  }
})
