/** Draws a random way: words for the stage (stage.ts). */
import { Random } from "../../events/model/random.ts"
import { letters } from "./stage.ts"

const topics = ["t", "u", "w"]
const users = ["member", "member", "member", "guest", "moderator", "admin"]
const modes = ["one", "one", "later", "all"]

type Draw = (random: Random, label: () => string) => string

const user = (random: Random) => random.pick(users)
const channel = (random: Random) => random.pick(letters)
const topic = (random: Random) => random.pick(topics)
const text = (random: Random) => (random.chance(0.3) ? random.pick(["@member", "@all"]) : `v${random.below(1000)}`)
const notice = (random: Random) => (random.chance(0.15) ? " notice" : "")

const draws: ReadonlyArray<readonly [weight: number, draw: Draw]> = [
  [
    22,
    (random, label) => {
      const to = random.chance(0.2) ? `/${topic(random)}` : ""
      return `move ${label()} ${channel(random)}${to} ${random.pick(modes)}${notice(random)}`
    },
  ],
  [7, (random, label) => `topic ${label()} ${topic(random)} ${random.pick(modes)}${notice(random)}`],
  [5, (random, label) => `edit ${label()} ${text(random)}`],
  [2, (random, label) => `rewrite ${label()} ${topic(random)} ${text(random)}`],
  [2, (_, label) => `delete ${label()}`],
  [3, (random, label) => `${random.pick(["react", "unreact"])} ${label()} ${random.pick(["owner", ...users])}`],
  [
    7,
    (random, label) =>
      `${random.pick(["flag", "flag", "unflag"])} ${label()} ${user(random)} ${random.pick(["read", "starred"])}`,
  ],
  [1, (random) => `readtopic ${channel(random)} ${topic(random)} ${user(random)}`],
  [1, (random) => `readchannel ${channel(random)} ${user(random)}`],
  [0.5, (random) => `readall ${user(random)}`],
  [8, (random) => `${random.pick(["sub", "add"])} ${channel(random)} ${user(random)}`],
  [8, (random) => `${random.pick(["unsub", "remove"])} ${channel(random)} ${user(random)}`],
  [4, (random) => `make ${channel(random)} ${random.pick(["public", "web", "shared", "shared", "protected"])}`],
  [2, (random) => `${random.pick(["grant", "grant", "revoke"])} ${channel(random)}`],
  [1.5, (random) => `${random.pick(["enter", "exit"])} ${random.pick(["member", "moderator"])}`],
  [
    2,
    (random) =>
      `role ${random.pick(["member", "guest", "moderator"])} ${random.pick(["member", "guest", "guest", "moderator"])}`,
  ],
  [2, (random) => `look ${channel(random)} ${user(random)}`],
  [1, (random) => `again ${user(random)}`],
  [1, (random) => `policy ${channel(random)} ${topic(random)} ${user(random)} ${random.below(4)}`],
  [0.7, (random) => `${random.pick(["archive", "unarchive", "unarchive"])} ${channel(random)}`],
  [0.3, () => "kill"],
]
const weights = draws.reduce((sum, [weight]) => sum + weight, 0)

/** `without`: kinds of steps that are left out of the way. */
export const drawWay = (seed: number, length: number, without: ReadonlyArray<string> = []): ReadonlyArray<string> => {
  const random = new Random(seed)
  let sent = 0
  const send = () => {
    sent += 1
    const by = random.chance(0.75) ? "owner" : random.pick(users)
    const words = random.chance(0.25) ? ` ${random.pick(["@member", "@all"])}` : ""
    return `send m${sent} ${channel(random)} ${topic(random)} ${by}${words}`
  }
  const label = () => `m${random.between(Math.max(1, sent - 5), sent)}`
  const one = () => {
    let left = random.next() * weights
    for (const [weight, draw] of draws) {
      left -= weight
      if (left < 0) return draw(random, label)
    }
    return "check"
  }
  const way = Array.from({ length }, (_, n) => (n === 0 || random.chance(0.16) ? send() : one()))
  return way.filter((step) => !without.some((verb) => step.startsWith(`${verb} `)))
}
