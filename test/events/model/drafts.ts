/** Random rows: every kind of audience, with and without extras and exceptions, and rows that change what audiences are. */
import { roleNumbers } from "../../../src/chat/ground/realm/domain-values.ts"
import type { Audience, PrivacyAtRow } from "../../../src/events/audience.ts"
import { idSpan } from "../../../src/events/event.ts"
import type { ChannelId, UserId } from "../../../src/ids.ts"
import type { JsonObject } from "../../../src/json.ts"
import type { Description } from "./expected.ts"
import type { Draft, Journal } from "./journal.ts"
import type { Random } from "./random.ts"

const draft = (type: string, payload: JsonObject, audience: Audience, more: Partial<Draft> = {}): Draft => ({
  type,
  payload,
  audience,
  width: 1,
  origin: null,
  content: null,
  bytes: 100,
  ...more,
})

export const noop: Draft = draft("noop", {}, { kind: "servers" })

const randomPrivacy = (random: Random): PrivacyAtRow => ({
  isPrivate: random.chance(0.4),
  isWebPublic: random.chance(0.2),
  historyShared: random.chance(0.7),
})

type Named = Pick<Audience, "also" | "except">

const named = (random: Random, users: ReadonlyArray<UserId>): Named => ({
  ...(random.chance(0.2) ? { also: random.some(users, 0.3) } : {}),
  ...(random.chance(0.2) ? { except: random.some(users, 0.3) } : {}),
})

const subscribers = (random: Random, channel: ChannelId): Audience => ({
  kind: "subscribers",
  channel,
  was: randomPrivacy(random),
})

const audience = (random: Random, { founding: { users, channels }, head }: Journal): Audience => {
  const more = named(random, users)
  switch (random.between(0, 8)) {
    case 0:
      return { kind: "users", users: random.some(users, 0.5), ...more }
    case 1:
      return { kind: "channel", channel: random.pick(channels), was: randomPrivacy(random), ...more }
    case 2:
      return { kind: "realm", ...more }
    case 3:
      return { kind: "members", ...more }
    case 4:
      return { kind: "servers", ...more }
    case 5:
      return {
        kind: "holders",
        channel: random.pick(channels),
        since: random.between(0, head),
        was: randomPrivacy(random),
        ...more,
      }
    default:
      return { ...subscribers(random, random.pick(channels)), ...more }
  }
}

/** Rows that change a section of the register state which every user has. */
const everybody = (random: Random, journal: Journal): Audience => {
  const { users } = journal.founding
  const { except: _nobody, ...wide } = audience(random, journal)
  return wide.kind === "servers" ? { kind: "users", users } : { ...wide, also: users }
}

const message = (random: Random, journal: Journal, queues: ReadonlyArray<Description>): Draft => {
  const { users } = journal.founding
  const through = random.chance(0.3) ? random.find(queues) : undefined
  const sender = through !== undefined && random.chance(0.8) ? through.user : random.pick(users)
  return draft(
    random.chance(0.8) ? "message" : "notice",
    { sender, text: "x".repeat(random.pick([0, 20, 80, 400])) },
    audience(random, journal),
    { origin: through === undefined ? null : { queueId: through.id, localId: `local ${journal.head + 1}` } },
  )
}

const wide = (random: Random, journal: Journal): Draft => {
  const isVast = random.chance(0.15)
  const width = isVast ? idSpan - random.between(0, 4) : random.between(1, 5)
  const items = Array.from({ length: Math.min(width, 5) }, (_each, n) => n)
  if (isVast) items.push(width - 1)
  const readers = items.map((n) => [n, ...random.some(journal.founding.users, 0.7)])
  return draft("wide", { readers }, audience(random, journal), { width })
}

const subscription = (random: Random, journal: Journal): Draft => {
  const { channels, users, secret } = journal.founding
  const channel = random.pick(channels)
  const user = random.pick(users)
  const payload = { op: journal.isSubscribed(channel, user) ? "remove" : "add", channel, user }
  return channel === secret
    ? draft("secret", payload, random.chance(0.5) ? subscribers(random, channel) : audience(random, journal))
    : draft("subscription", payload, everybody(random, journal))
}

const role = (random: Random, journal: Journal): Draft => {
  const user = random.pick(journal.founding.users)
  const isActive = journal.state.has(`role:${user}`)
  const to = isActive && random.chance(0.3) ? null : random.pick(roleNumbers)
  return draft("role", { user, role: to }, audience(random, journal))
}

/** A row to commit next; `queues` are those that a message may be sent through. */
export const randomDraft = (random: Random, journal: Journal, queues: ReadonlyArray<Description>): Draft => {
  const kind = random.between(0, 15)
  if (kind < 6) return message(random, journal, queues)
  if (kind < 9) return wide(random, journal)
  if (kind < 11) return subscription(random, journal)
  if (kind < 12) return role(random, journal)
  if (kind < 15)
    return draft(random.chance(0.6) ? "count" : "stored", { by: random.between(1, 9) }, everybody(random, journal))
  return noop
}
