/** Attacks by a member, who has an account and its allowance of requests. */
import type { Attack } from "../kit.ts"
import {
  attackTopic,
  longHost,
  manyAddresses,
  manyIds,
  registerAll,
  registerNarrow,
  request,
  send,
  slowNarrows,
  subscribe,
  topics,
  users,
} from "../requests.ts"
import { addresses } from "../target.ts"
import { holdPolls } from "./polls.ts"

const attack = (name: string, about: string, run: Attack["run"]): Attack => ({ name, who: "member", about, run })

export const memberAttacks: ReadonlyArray<Attack> = [
  attack(
    "member-narrows",
    "16 narrows at once that search what the member may not see, or find nothing",
    async (kit) => {
      const requests = slowNarrows(kit.account("members"), kit.target)
      await kit.repeat(16, (n) => requests[n % requests.length] ?? Buffer.alloc(0))
    },
  ),
  attack("member-topics", "the topics of channels, 4 at once", async (kit) => {
    const { long, secret, noise } = kit.target.channels
    const requests = [long, secret, noise].map(({ id }) => topics(kit.account("members"), id))
    await kit.repeat(4, (n) => requests[n % requests.length] ?? Buffer.alloc(0))
  }),
  attack("member-long-host", "messages with a host of 9,900 Chinese characters, 2 at once", async (kit) => {
    const request = longHost(kit.account("members"), kit.target)
    await kit.repeat(2, () => request)
  }),
  attack("member-addresses", "direct messages to 47,000 addresses, 2 at once", async (kit) => {
    const request = manyAddresses(kit.account("members"))
    await kit.repeat(2, () => request)
  }),
  attack("member-users", "the list of all users, 4 at once", async (kit) => {
    const request = users(kit.account("members"))
    await kit.repeat(4, () => request)
  }),
  attack("member-register", "registers for everything, 4 at once, and leaves the queues behind", async (kit) => {
    const request = registerAll(kit.account("members"))
    await kit.repeat(4, () => request)
  }),
  attack(
    "member-queues",
    "registers queues with 100 terms by four accounts, 4 at once, and leaves them",
    async (kit) => {
      const requests = [0, 1, 2, 3].map((n) => registerNarrow(kit.account("members", 40 + n)))
      await kit.repeat(4, (n) => requests[n % requests.length] ?? Buffer.alloc(0))
    },
  ),
  attack(
    "member-polls",
    "2,000 polls by twenty accounts with 100 terms each, and messages that match them all",
    async (kit) => {
      const polls = holdPolls(kit, 20, 100)
      const message = send(
        kit.account("members"),
        kit.target.channels.noise.name,
        attackTopic,
        "this is for all of them",
      )
      const messages = (async () => {
        while (await kit.sleep(1000)) await kit.once(addresses.member, message)
      })()
      await Promise.all([polls, messages])
    },
  ),
  attack("member-ids", "lists of 5,000 ids of messages, 4 at once", async (kit) => {
    const request = manyIds(kit.account("members"), kit.target)
    await kit.repeat(4, () => request)
  }),
  attack("member-subscribe", "subscribes 500 people to 100 channels at once, again and again", async (kit) => {
    const account = kit.account("members")
    await kit.repeat(1, (n) => subscribe(account, n))
  }),
  attack("member-empty-polls", "asks its own queue without waiting, 4 at once", async (kit) => {
    const auth = kit.account("members")
    const query = { queue_id: "none", last_event_id: "-1", dont_block: "true" }
    const poll = request("GET", "/api/v1/events", { auth, query })
    await kit.repeat(4, () => poll)
  }),
]
