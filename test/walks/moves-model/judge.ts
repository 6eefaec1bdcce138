/**
 * Compares what a client holds of messages with what requests show now. It must hold each message that its user's own feed
 * shows or that stands in a channel that they are in, as it is now, and none that they may not read any more.
 */
import type { Fields } from "../../kit/client.ts"
import { ClientState } from "../../kit/client-state.ts"
import { recordsIn } from "../../kit/records.ts"
import { type Kept, keptOf, looks, type Picture, registerFields } from "./picture.ts"

export interface Difference {
  /** The same for differences of the same kind. */
  readonly kind: string
  readonly label: string
  readonly text: string
}

/** The messages that are compared: those from `first` on that were sent or that anybody has heard of. */
export interface Scope {
  readonly first: number
  readonly ids: ReadonlyArray<number>
  readonly channels: ReadonlyArray<number>
}

/** What a user is shown now. */
export interface Shown {
  readonly byId: ReadonlyMap<number, Kept>
  readonly feed: ReadonlySet<number>
  /** What was asked for by id; a list may have more, as notices in channels that nobody is in who watches. */
  readonly asked: ReadonlySet<number>
}

const numbers = (ids: Iterable<number>): string => [...ids].sort((a, b) => a - b).join(" ")

const keptIn = (messages: unknown): ReadonlyMap<number, Kept> =>
  new Map(
    recordsIn(messages)
      .filter(({ type }) => type === "stream")
      .map((message) => [Number(message["id"]), keptOf(message)]),
  )

export const show = async ({ person }: Picture, { first, ids }: Scope): Promise<Shown> => {
  const all = { anchor: first, num_before: 0, num_after: 1000, ...looks }
  const feed = new Set(keptIn((await person.must.get("/messages", all))["messages"]).keys())
  const asked = new Set([...ids, ...feed])
  if (asked.size === 0) return { feed, asked, byId: new Map() }
  const { messages } = await person.must.get("/messages", { message_ids: [...asked], ...looks })
  return { feed, asked, byId: keptIn(messages) }
}

/** A client cannot know whether it received a message when it was sent. */
const flagsOf = ({ flags }: Kept): string =>
  [...flags]
    .filter((flag) => flag !== "historical")
    .sort()
    .join(" ")

const fieldsOf = (kept: Kept): Readonly<Record<string, string>> => ({
  channel: String(kept.channel),
  subject: String(kept.subject),
  content: String(kept.content),
  reactions: [...kept.reactions].sort().join(", "),
  flags: flagsOf(kept),
})

/** Compares the messages, and notes of which of them the client is told from now on. */
export const compareMessages = (
  picture: Picture,
  { first }: Scope,
  { byId, feed }: Shown,
  isPeeked = (_: number) => false,
): ReadonlyArray<Difference> => {
  const { label, messages, state } = picture
  const found: Array<Difference> = []
  const differ = (kind: string, text: string) => void found.push({ kind, label, text })
  for (const id of feed) if (!byId.has(id)) differ("feed", `${id} is in the feed, and hidden by its id`)
  for (const [id, fresh] of byId) {
    const known = messages.get(id)
    const isTold = feed.has(id) || state.isSubscribed(fresh.channel)
    if (known !== undefined) known.isTold = isTold
    if (!isTold) continue
    if (known === undefined) {
      differ("missing", `${id} (${String(fresh.content)}) is shown, and the client does not hold it`)
      continue
    }
    const [is, must] = [fieldsOf(known), fieldsOf(fresh)]
    for (const [name, value] of Object.entries(must))
      if (is[name] !== value)
        differ(`stale ${name}`, `${id} (${String(fresh.content)}): ${name} is "${is[name]}", shown is "${value}"`)
  }
  for (const [id, known] of messages) {
    if (id < first || byId.has(id) || !known.isTold || isPeeked(id)) continue
    differ("ghost", `${id} (${String(known.content)}) is hidden, and the client holds it`)
    known.isTold = false
  }
  return found
}

/** Messages that events since the last call have named though they are hidden. */
export const compareNamed = (
  { label, named }: Picture,
  { first }: Scope,
  { byId }: Shown,
): ReadonlyArray<Difference> => {
  const hidden = [...named].filter((id) => id >= first && !byId.has(id))
  named.clear()
  return hidden.map((id) => ({ kind: "leak", label, text: `an event named ${id}, which is hidden` }))
}

/** The parts of a state that are about the messages of a scope, or about one's own channels. */
const sectionsOf = (state: ClientState, { first, channels }: Scope): Readonly<Record<string, string>> => {
  const { unread_msgs, starred_messages } = state.flags
  const starred = Array.isArray(starred_messages) ? starred_messages.map(Number) : []
  const unread = recordsIn(unread_msgs).filter(({ id }) => Number(id) >= first)
  return {
    unread: unread.map((each) => JSON.stringify(each)).join("\n"),
    starred: numbers(starred.filter((id) => id >= first)),
    subscribed: numbers(channels.filter((id) => state.isSubscribed(id))),
    seen: numbers(channels.filter((id) => state.channel(id) !== undefined)),
  }
}

/** Compares the sections with those of a register made now. */
export const compareSections = async (picture: Picture, scope: Scope): Promise<ReadonlyArray<Difference>> => {
  const { label, person, state, user } = picture
  const fresh = new ClientState(await person.must.post("/register", registerFields), user, registerFields)
  const [is, must] = [sectionsOf(state, scope), sectionsOf(fresh, scope)]
  return Object.entries(must)
    .filter(([name, value]) => is[name] !== value)
    .map(([name, value]) => ({ kind: name, label, text: `${name} is "${is[name]}", a register says "${value}"` }))
}

/** Topics by their folded names, with the newest message of each. */
const topicsIn = (messages: Iterable<readonly [number, Kept]>): string => {
  const newest = new Map<string, number>()
  for (const [id, { subject }] of messages) {
    const topic = String(subject).toLowerCase()
    newest.set(topic, Math.max(id, newest.get(topic) ?? 0))
  }
  return [...newest]
    .map(([topic, id]) => `${topic}:${id}`)
    .sort()
    .join(" ")
}

/** Compares what requests show of each channel, its topics and the starred messages with what they show by id. */
export const compareLists = async (
  { label, person, state }: Picture,
  { first, channels }: Scope,
  { byId, asked }: Shown,
): Promise<ReadonlyArray<Difference>> => {
  const found: Array<Difference> = []
  const listed = (messages: unknown) => numbers([...keptIn(messages).keys()].filter((id) => asked.has(id)))
  const compare = (kind: string, text: string, is: string, must: string) => {
    if (is !== must) found.push({ kind, label, text: `${text}: "${is}", by id "${must}"` })
  }
  const all = { anchor: first, num_before: 0, num_after: 1000, ...looks }
  for (const channel of channels) {
    const here = [...byId].filter(([, kept]) => kept.channel === channel)
    const narrow: ReadonlyArray<Fields> = [{ operator: "channel", operand: channel }]
    const { status, body } = await person.get("/messages", { ...all, narrow })
    if (status === 200)
      compare("narrow", `channel ${channel}`, listed(body["messages"]), numbers(here.map(([id]) => id)))
    const topics = await person.get(`/users/me/${channel}/topics`, { allow_empty_topic_name: true })
    if (topics.status !== 200) continue
    const names = recordsIn(topics.body["topics"])
      .filter(({ max_id }) => Number(max_id) >= first)
      .map(({ name, max_id }) => `${String(name).toLowerCase()}:${String(max_id)}`)
    if (state.isSubscribed(channel)) compare("topics", `topics of ${channel}`, names.sort().join(" "), topicsIn(here))
  }
  for (const flag of ["starred", "unread"]) {
    const { messages } = await person.must.get("/messages", { ...all, narrow: [{ operator: "is", operand: flag }] })
    const flagged = [...byId].filter(([, { flags }]) => (flag === "unread" ? !flags.has("read") : flags.has(flag)))
    compare(`is:${flag}`, `is:${flag}`, listed(messages), numbers(flagged.map(([id]) => id)))
  }
  return found
}
