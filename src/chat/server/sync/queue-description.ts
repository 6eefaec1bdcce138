/**
 * What a client asked for at register, as it is stored with the queue, and the filter that the queue makes of it. After
 * a restart a queue is made from the stored form alone, so it filters exactly as before.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { forEachCapability } from "../../../events/client-capabilities.ts"
import type { EventReceiver } from "../../../events/encode.ts"
import { type LogRow, lastIdOf } from "../../../events/event.ts"
import type { QueueClientOptions, QueueSpec } from "../../../events/queue-spec.ts"
import type { StoredQueue } from "../../../events/queue-store.ts"
import { UserId } from "../../../ids.ts"
import { findUserByAddress } from "../../ground/realm/acquaintance/find-user.ts"
import { fold, readTopic } from "../../ground/realm/domain-values.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import type { UserRecord } from "../../ground/realm/records.ts"
import { fits, type Matcher, type MessageFacts, type ReaderFacts } from "../../reading/history/narrows/matcher.ts"
import { messageKind } from "../../sending/messages/message-event.ts"
import { flagsFor, type MarkSets, type MessageFlag, readMarks } from "../../sending/messages/message-marks.ts"

/** A capability, and another option that is newer than the rest, is absent in queues that programs have stored which did not know it. */
const storedCapability = Schema.Boolean.pipe(Schema.withDecodingDefaultKey(Effect.succeed(false)))

export const QueueDescription = Schema.Struct({
  /** The types of events that the queue gets; null: all. */
  event_types: Schema.NullOr(Schema.Array(Schema.String)),
  narrow: Schema.Array(Schema.Tuple([Schema.String, Schema.String])),
  all_public_streams: Schema.Boolean,
  rendering: Schema.Struct({
    rendered: Schema.Boolean,
    gravatar: Schema.Boolean,
    slimPresence: storedCapability,
    ...forEachCapability(() => storedCapability),
  }),
  /**
   * The positions of the register's state: the sections from the database are as of row `saw` (of this width), those of
   * the projection as of row `took`. Rows between the two whose type is in `types` are in the state already (I13).
   */
  state: Schema.Struct({
    saw: Schema.Number,
    width: Schema.Number,
    took: Schema.Number,
    types: Schema.Array(Schema.String),
  }),
})
export type QueueDescription = typeof QueueDescription.Type

const decode = Schema.decodeUnknownSync(QueueDescription)

/** The facts that terms compare, read from a message's row once for all terms of all queues. */
interface RowFacts extends MessageFacts {
  /** The name of the message's channel when it was sent, as `fold` makes it. */
  readonly channelName: string | undefined
  readonly senderAddress: string
  readonly marks: MarkSets
}

/** No queue's narrow asks for what a message contains. */
const noParts = { has_link: false, has_image: false, has_attachment: false }

const readFacts = (row: LogRow): RowFacts => {
  const payload = messageKind.read(row.payload)
  const { channel, people, sender } = payload
  return {
    id: row.position,
    marks: readMarks(payload),
    channel: channel?.id ?? null,
    channelName: channel === undefined ? undefined : fold(channel.name),
    topicFolded: channel === undefined ? "" : fold(channel.topic),
    sender: sender.id,
    senderAddress: fold(sender.email),
    people: people?.map(({ id }) => id) ?? [],
    parts: noParts,
  }
}

/** A new message has these for the receiver. None is starred, has reactions, or was muted before it was sent. */
const readerFacts = (marks: MarkSets, receiver: EventReceiver): ReaderFacts => {
  const has = (flag: MessageFlag) => flagsFor(marks, receiver).includes(flag)
  return {
    hasFlag: (flag) => {
      if (flag === "unread") return !has("read")
      return flag === "mentioned" && (has("mentioned") || has("wildcard_mentioned"))
    },
    topicPolicy: 0,
    hasReaction: false,
    hasText: () => false,
  }
}

/**
 * One term of a queue's narrow: a condition as those of searches (history/narrows/matcher.ts), or a name. It looks at
 * what never changes in a message's row, not at the content: the flags are those that the message had for the user when
 * it was sent.
 */
type QueueTerm = (facts: RowFacts, receiver: EventReceiver) => boolean

const matching =
  (matcher: Matcher): QueueTerm =>
  (facts, receiver) =>
    fits(matcher, facts, readerFacts(facts.marks, receiver))

const isTerm = (operand: string): QueueTerm | null => {
  switch (operand) {
    case "dm":
    case "private":
      return matching({ kind: "direct" })
    case "resolved":
      return matching({ kind: "resolved" })
    case "starred":
    case "unread":
    case "mentioned":
      return matching({ kind: "flag", flag: operand })
    // Existing clients expect that "alerted" means the same here.
    case "alerted":
      return matching({ kind: "flag", flag: "mentioned" })
    // What follows from the reader's topics changes: a queue cannot tell it of a message that was sent.
    case "followed":
      return null
    // Existing servers take what they do not know, and leave nothing out by it.
    default:
      return () => true
  }
}

/** The term as a predicate; null for an operator that queues do not support, and for `is:followed`. */
export const narrowTerm = (operator: string, operand: string): QueueTerm | null => {
  switch (operator) {
    case "channel":
    case "stream": {
      const name = fold(operand)
      // A direct message has no channel, which is not the channel of no name.
      return ({ channelName }) => channelName === name
    }
    case "topic":
      return matching({ kind: "topic", topic: readTopic(operand) })
    case "sender": {
      if (/^\d+$/.test(operand)) return matching({ kind: "sender", sender: UserId(Number(operand)) })
      const address = fold(operand)
      return ({ senderAddress }) => senderAddress === address
    }
    case "is":
      return isTerm(operand)
    default:
      return null
  }
}

/**
 * A queue's narrow as it is stored: senders by id, so that an address keeps the meaning that it had for this user at
 * register. An unknown address stays as it is and matches no message.
 */
export const storedNarrow = (
  realm: Realm,
  user: UserRecord,
  narrow: QueueDescription["narrow"],
): QueueDescription["narrow"] =>
  narrow.map(([operator, operand]) => {
    const sender = operator === "sender" ? findUserByAddress(realm, user, operand) : undefined
    return [operator, sender === undefined ? operand : String(sender.id)]
  })

const makeClientOptions = (
  { event_types, narrow, all_public_streams, rendering }: QueueDescription,
  factsOf: (row: LogRow) => RowFacts,
): QueueClientOptions => {
  const types = event_types === null ? null : new Set(event_types)
  const terms = narrow.map(([operator, operand]) => narrowTerm(operator, operand) ?? (() => false))
  return {
    rendering,
    openToPublic: all_public_streams || narrow.length > 0,
    // Older clients know only the list of muted topics; who asks for both forms gets the newer one.
    wants: (type) => types === null || (types.has(type) && !(type === "muted_topics" && types.has("user_topic"))),
    terms: terms.length,
    passes: (row, receiver) => {
      if (terms.length === 0 || row.type !== "message") return true
      const facts = factsOf(row)
      return terms.every((term) => term(facts, receiver))
    },
  }
}

/** The most cached filters: usually there are few different ones. At more the cache is emptied. */
const mostClientOptions = 1000
const longestKey = 2000

/** Makes the specs of queues from their stored form. Queues that asked for the same share one filter object. */
export const makeQueueSpecs = (): ((stored: StoredQueue) => QueueSpec) => {
  const known = new Map<string, QueueClientOptions>()
  // Weak: the facts of a row go when the ring lets go of the row.
  const facts = new WeakMap<LogRow, RowFacts>()
  const factsOf = (row: LogRow): RowFacts => {
    const found = facts.get(row) ?? readFacts(row)
    facts.set(row, found)
    return found
  }
  const clientOptionsOf = (description: QueueDescription): QueueClientOptions => {
    const { event_types, narrow, all_public_streams, rendering } = description
    const key = JSON.stringify([event_types, narrow, all_public_streams, rendering])
    const found = known.get(key)
    if (found !== undefined) return found
    const clientOptions = makeClientOptions(description, factsOf)
    // Such a long narrow is hardly shared by another queue.
    if (key.length > longestKey) return clientOptions
    if (known.size >= mostClientOptions) known.clear()
    known.set(key, clientOptions)
    return clientOptions
  }
  return (stored) => {
    const description = decode(stored.description)
    const { saw, took, width, types } = description.state
    return {
      id: stored.id,
      user: stored.user,
      clientOptions: clientOptionsOf(description),
      start: lastIdOf(saw, width),
      contained: took > saw ? { after: saw, through: took, types: new Set(types) } : null,
      idleMilliseconds: stored.idleMilliseconds,
    }
  }
}
