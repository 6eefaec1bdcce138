/**
 * The longest block of the server's event loop while one request of an attack is answered, the attacks one at a time.
 * Garbage collection counts. Each figure is the median over the rounds, because the machine's own pauses are in it too.
 */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as wait } from "node:timers/promises"
import { median } from "../../src/command-line/bench/statistics.ts"
import type { Row, Scenario } from "../scenario.ts"
import { holdPolls } from "../siege/attacks/polls.ts"
import { Kit } from "../siege/kit.ts"
import {
  attackTopic,
  longHost,
  longMessages,
  manyAddresses,
  manyIds,
  manyTerms,
  nestedJson,
  publicChannelsRepeated,
  registerAll,
  registerNarrow,
  request,
  send,
  signIn,
  slowNarrows,
  subscribe,
  topics,
  users,
} from "../siege/requests.ts"
import type { Server } from "../siege/server.ts"
import { seed, startSeeded } from "../siege/siege.ts"
import { addresses } from "../siege/target.ts"

/** Before the request, so that the watch has begun; after it, so that what it leaves to do is in the figure. */
const margin = 50
const limitMilliseconds = 15
const polls = { accounts: 20, each: 100 } as const
const gigabyte = 2 ** 30

interface Case {
  readonly label: string
  readonly request: (round: number) => Uint8Array
}

const casesOf = (kit: Kit): ReadonlyArray<Case> => {
  const { target } = kit
  const guest = kit.account("guests")
  const member = kit.account("members")
  const one = (label: string, bytes: Uint8Array): Case => ({ label, request: () => bytes })
  return [
    one("nothing, to compare with", request("GET", "/health")),
    one("a guest's narrow of channels:public, 100 times", publicChannelsRepeated(guest)),
    one("a guest's narrow of 100 different terms", manyTerms(guest)),
    one("nobody's JSON, nested 500,000 deep", nestedJson()),
    one("a message with a host of 9,900 Chinese characters", longHost(member, target)),
    one("a message to 47,000 addresses", manyAddresses(member)),
    one("the list of all users", users(member)),
    one("5,000 long messages", longMessages(member, target)),
    one("5,000 ids of messages", manyIds(member, target)),
    ...slowNarrows(member, target).map((each, n) => one(`slow narrow ${n + 1}`, each)),
    one("the topics of a channel", topics(member, target.channels.long.id)),
    one("register for everything", registerAll(member)),
    one("register with 100 terms", registerNarrow(member)),
    { label: "500 people subscribe to 100 channels", request: (round) => subscribe(member, round) },
    one("a guess of a password", signIn(1)),
  ]
}

/** One request on its own; answers the block in milliseconds and the status. */
const ask = async (server: Server, kit: Kit, bytes: Uint8Array) => {
  await server.watch()
  await wait(margin)
  const status = await kit.once(addresses.member, bytes)
  await wait(margin)
  return { block: await server.longestBlock(), status }
}

const rowOf = (label: string, asked: ReadonlyArray<{ readonly block: number; readonly status: number }>): Row => {
  const blocks = asked.map(({ block }) => block)
  return {
    label,
    figures: { "longest block ms": median(blocks), "worst round ms": Math.max(...blocks) },
    remarks: [[...new Set(asked.map(({ status }) => status || "no answer"))].join(", ")],
  }
}

export const loopBlock: Scenario = {
  name: "loop-block",
  about: "the longest block of the loop by one request of an attack, N users, 1,000 channels, 5,000 long messages",
  targets: { "longest block ms": { most: limitMilliseconds } },
  asserts: true,
  run: async ({ fresh, sizes, rounds, progress }) => {
    const rows: Array<Row> = []
    for (const people of sizes ?? [10_000]) {
      const folder = await mkdtemp(join(tmpdir(), "parley-block-"))
      const databaseUrl = await fresh()
      progress("seeding")
      const target = await seed({ databaseUrl, users: people, secretMessages: 50_000, longMessages: 5000 }, folder)
      const log = join(folder, "server.log")
      const server = await startSeeded({ databaseUrl, mostMemory: 8 * gigabyte, log }, folder, false)
      const kit = new Kit(server.port, target, null)
      const measure = async ({ label, request }: Case) => {
        const asked = []
        for (let round = 0; round < rounds; round++) {
          progress(`${label}: round ${round + 1} of ${rounds}`)
          asked.push(await ask(server, kit, request(round)))
        }
        rows.push(rowOf(label, asked))
      }
      try {
        for (const each of casesOf(kit)) await measure(each)
        progress("polls begin")
        const many = new Kit(server.port, target, 0)
        await holdPolls(many, polls.accounts, polls.each)
        await wait(1000)
        const { noise } = target.channels
        const message = send(kit.account("members"), noise.name, attackTopic, "for all of them")
        await measure({ label: "one message to 2,000 polls of 100 matching terms", request: () => message })
        many.end()
      } finally {
        kit.end()
        await server.stop()
        await rm(folder, { recursive: true, force: true })
      }
    }
    return rows
  },
}
