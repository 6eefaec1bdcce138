/**
 * Compares what clients were told with the log, after a kill test. For every queue it computes from the log, by rules
 * of its own, the exact list of events that the queue must have got; for every send, whether its message must be in the
 * log, may be, or must not.
 */
import { roles } from "../../../src/chat/ground/realm/domain-values.ts"
import { idSpan } from "../../../src/events/event.ts"
import type { Room } from "./churners.ts"
import type { Row, StoredQueue, Truth } from "./log-store.ts"
import { messageLabel, type Reading, type Seen } from "./reading.ts"
import type { Send } from "./senders.ts"

const subscribedAt = (truth: Truth, channel: number | undefined, user: number, position: number): boolean =>
  truth.spans.some(
    (span) =>
      span.channel_id === channel &&
      span.user_id === user &&
      span.opened <= position &&
      (span.closed === null || position < span.closed),
  )

const isReceiver = (truth: Truth, { audience, position }: Row, user: number): boolean => {
  const { kind, users, channel, since, was, also, except } = audience
  if (except?.includes(user) === true) return false
  if (also?.includes(user) === true) return true
  const role = truth.roles.get(user)
  const isMember = role !== undefined && role !== roles.guest
  switch (kind) {
    case "users":
      return users?.includes(user) === true
    case "subscribers":
      return subscribedAt(truth, channel, user, position)
    case "holders":
      if (was?.historyShared === true && subscribedAt(truth, channel, user, position)) return true
      return subscribedAt(truth, channel, user, since ?? 0)
    case "channel":
      if (subscribedAt(truth, channel, user, position)) return true
      if (was?.isPrivate === true) return role === roles.owner || role === roles.administrator
      return isMember || was?.isWebPublic === true
    case "realm":
      return role !== undefined
    case "members":
      return isMember
    case "servers":
      return false
  }
}

/** A queue with a narrow or all_public_streams also gets messages of public channels that its owner is not in. */
const isOpenTo = (truth: Truth, { type, audience }: Row, { user_id, description }: StoredQueue): boolean =>
  (description.all_public_streams || description.narrow.length > 0) &&
  type === "message" &&
  audience.kind === "subscribers" &&
  audience.was?.isPrivate === false &&
  truth.roles.get(user_id) !== roles.guest

const passes = (truth: Truth, row: Row, { description }: StoredQueue): boolean =>
  row.type !== "message" ||
  description.narrow.every(([operator, operand]) => {
    if (operator === "is" && operand === "dm") return row.channel_id === null
    if (operator === "channel") return row.channel_id !== null && truth.channels.get(row.channel_id) === operand
    throw new Error(`the audit does not know the narrow ${operator}:${operand}`)
  })

const isFor = (truth: Truth, row: Row, queue: StoredQueue): boolean => {
  const { event_types, state } = queue.description
  if (row.position <= state.saw || (event_types !== null && !event_types.includes(row.type))) return false
  if (row.position <= state.took && state.types.includes(row.type)) return false
  return passes(truth, row, queue) && (isReceiver(truth, row, queue.user_id) || isOpenTo(truth, row, queue))
}

const ids = (value: unknown): string => (Array.isArray(value) ? value.map(String).sort().join(",") : String(value))

const channelOf = (payload: Row["payload"]): unknown => {
  const { channel } = payload
  const isRecord = typeof channel === "object" && channel !== null && "id" in channel
  return isRecord ? channel.id : (payload["channel_ids"] ?? payload["channel_id"])
}

const labelOf = (row: Row, queue: StoredQueue): string => {
  const { type, payload } = row
  switch (type) {
    case "message": {
      const sender = Number(row.sender_id)
      const echoes = row.queue_id === queue.id && sender === queue.user_id
      return messageLabel({
        id: row.position,
        sender,
        content: String(queue.description.rendering.rendered ? row.rendered : row.content),
        localId: echoes ? row.local_id : null,
      })
    }
    case "stream":
      return `stream ${String(payload["op"])} ${ids(channelOf(payload))}`
    case "subscription": {
      const peers = payload["op"] === "peer_add" || payload["op"] === "peer_remove"
      return `subscription ${String(payload["op"])} ${ids(channelOf(payload))}${peers ? ` ${ids(payload["user_ids"])}` : ""}`
    }
    default:
      return type
  }
}

const expectedOf = (truth: Truth, queue: StoredQueue): ReadonlyArray<Seen> =>
  truth.rows
    .filter((row) => isFor(truth, row, queue))
    .map((row) => ({ id: row.position * idSpan, label: labelOf(row, queue) }))

const show = (seen: Seen | undefined): string => (seen === undefined ? "nothing" : `${seen.id} ${seen.label}`)

/** A queue got each of its events exactly once, in the order of the log. */
const auditReading = (truth: Truth, { name, queueId, stored }: Reading): ReadonlyArray<string> => {
  const queue = truth.queues.get(queueId)
  if (queue === undefined) return [`${name}: the queue ${queueId} is not in the database`]
  const expected = expectedOf(truth, queue)
  const at = expected.findIndex(({ id, label }, index) => stored[index]?.id !== id || stored[index]?.label !== label)
  const wrong = at >= 0 ? at : expected.length
  if (at < 0 && stored.length === expected.length) return []
  const before = show(expected[wrong - 1])
  return [
    `${name} (${queueId}): ${stored.length} events instead of ${expected.length}; number ${wrong}, after ${before}, must be ${show(expected[wrong])} and is ${show(stored[wrong])}`,
  ]
}

/**
 * How often an indicator may come to a queue that moves: once at each of three processes, and again at one that was started anew, or
 * that a bad bus told twice or late, after its end.
 */
const mostTimes = 6

/**
 * I4 and I5 over all queues: the id of an ephemeral stands for one event only, and is above the ids of its row. Each of several
 * processes gives ids of its own: there it stands for one event of a queue.
 */
const auditEphemerals = (truth: Truth, readings: ReadonlyArray<Reading>, isAlone: boolean): ReadonlyArray<string> => {
  const shared = new Map<number, string>()
  const faults: Array<string> = []
  for (const { name, ephemerals } of readings) {
    const labels = isAlone ? shared : new Map<number, string>()
    for (const [id, label] of ephemerals) {
      const row = truth.rows[Math.floor(id / idSpan) - 1]
      if (row === undefined || id % idSpan < row.width) faults.push(`${name}: ${label} has the id ${id} of a row`)
      const known = labels.get(id)
      if (known !== undefined && known !== label) faults.push(`the id ${id} stands for "${known}" and for "${label}"`)
      labels.set(id, label)
    }
    const times = new Map<string, number>()
    for (const label of ephemerals.values()) if (label !== "heartbeat") times.set(label, (times.get(label) ?? 0) + 1)
    for (const [label, count] of times)
      if (count > (isAlone ? 1 : mostTimes)) faults.push(`${name}: ${label} came ${count} times`)
  }
  return faults
}

/** A send that was acknowledged is in the log once; one that every answer refused is not. */
const auditSends = (truth: Truth, sends: ReadonlyArray<Send>): ReadonlyArray<string> => {
  const byContent = new Map<string, Array<Row>>()
  for (const row of truth.rows) {
    if (row.content !== null) byContent.set(row.content, [...(byContent.get(row.content) ?? []), row])
  }
  const faults = sends.flatMap(({ token, content, sender, answers }) => {
    const found = byContent.get(content) ?? []
    const told = answers.map((answer) => (answer.kind === "sent" ? `sent as ${answer.id}` : answer.kind)).join(", ")
    const story = `${token} (${told}) stands ${found.length} times: ${found.map(({ position }) => position).join(", ")}`
    const acknowledged = new Set(answers.flatMap((answer) => (answer.kind === "sent" ? [answer.id] : [])))
    const [row] = found
    if (found.length > 1 || acknowledged.size > 1) return [story]
    if (acknowledged.size === 1 && (row === undefined || !acknowledged.has(row.position))) return [`lost: ${story}`]
    const mayBe = answers.some(({ kind }) => kind === "sent" || kind === "lost")
    if (row !== undefined && !mayBe) return [`done although every answer was no: ${story}`]
    if (row !== undefined && row.sender_id !== sender.id) return [`of somebody else: ${story}`]
    return []
  })
  const known = new Set(sends.map(({ content }) => content))
  const unknown = [...byContent.keys()].filter((content) => /^m-\d+-/.test(content) && !known.has(content))
  return [...faults, ...unknown.map((content) => `nobody sent ${content.slice(0, 30)}`)]
}

const auditRooms = (truth: Truth, rooms: ReadonlyArray<Room>): ReadonlyArray<string> => {
  const names = [...truth.channels.values()]
  return rooms.flatMap(({ name, answers }) => {
    const count = names.filter((each) => each === name).length
    const must = answers.includes("answer")
    const may = must || answers.includes("lost")
    return count > 1 || (must && count === 0) || (!may && count > 0) ? [`${name} (${answers}): ${count} times`] : []
  })
}

/** I1: positions are gapless from 1, and each message is the one of its row. */
const auditLog = ({ rows, strays }: Truth, hasDemo: boolean): ReadonlyArray<string> => {
  // A bot announces channels that were made meanwhile, each time with the same text.
  const seeded = rows.flatMap(({ content }) =>
    content === null || content.startsWith("m-") || content.includes(" channel created by ") ? [] : [content],
  )
  const gap = rows.findIndex((row, index) => row.position !== index + 1)
  return [
    ...(gap < 0 ? [] : [`the log has a gap: ${rows[gap]?.position} is number ${gap + 1}`]),
    ...strays.map((id) => `message ${id} is not in the log`),
    ...(seeded.length > 0 === hasDemo && new Set(seeded).size === seeded.length
      ? []
      : [`the demo is not whole: ${seeded}`]),
    ...rows.flatMap((row) => (row.type === "message" && row.content === null ? [`row ${row.position} is empty`] : [])),
  ]
}

export interface Evidence {
  readonly readings: ReadonlyArray<Reading>
  readonly sends: ReadonlyArray<Send>
  readonly rooms: ReadonlyArray<Room>
}

interface Audited {
  /** The organization is that of the demo, with its messages. */
  readonly hasDemo: boolean
  /** One process has served. */
  readonly isAlone: boolean
}

/** All violations found, in words; empty for a run without any. */
export const audit = (
  truth: Truth,
  { readings, sends, rooms }: Evidence,
  { hasDemo, isAlone }: Audited = { hasDemo: true, isAlone: true },
): ReadonlyArray<string> => [
  ...auditLog(truth, hasDemo),
  ...auditSends(truth, sends),
  ...auditRooms(truth, rooms),
  ...readings.flatMap((reading) => auditReading(truth, reading)),
  ...auditEphemerals(truth, readings, isAlone),
]
