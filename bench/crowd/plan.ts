/**
 * The organization of a crowd, as the processes of a benchmark tell it each other: users 1 to `people` are subscribed to
 * channel 1, which has everybody, and to some of the channels after it, different ones for different users. Further
 * users, the talkers, send messages to a channel of their own meanwhile.
 */
import * as Schema from "effect/Schema"
import { Account } from "../siege/target.ts"

export const Plan = Schema.Struct({
  people: Schema.Number,
  /** Channels of which each user has some. */
  channels: Schema.Number,
  /** Number of them that a user has: at least and at most. */
  fewest: Schema.Number,
  most: Schema.Number,
  /** Number of them that everybody has, in addition. */
  common: Schema.Number,
})
export type Plan = typeof Plan.Type

/** Queues of a crowd that returns, and the messages that they lack. */
export const Lack = Schema.Struct({
  /** A queue of each user, and the last event id that all of them have. */
  queues: Schema.Array(Schema.String),
  last: Schema.Number,
  /** The positions of the messages, in order, and the channel of each. */
  positions: Schema.Array(Schema.Number),
  channels: Schema.Array(Schema.Number),
})
export type Lack = typeof Lack.Type

export const Crowd = Schema.Struct({
  people: Schema.Array(Account),
  talkers: Schema.Array(Account),
  talk: Schema.String,
  lack: Lack,
})
export type Crowd = typeof Crowd.Type

export const talkerCount = 4
const firstChannel = 2
export const channelName = (id: number): string => `channel ${id}`
export const talkChannel = ({ channels }: Pick<Plan, "channels">): number => firstChannel + channels

/** The channels of a user, beside those that everybody has. */
export const channelsOf = (user: number, { channels, fewest, most }: Plan): ReadonlyArray<number> => {
  const count = fewest + (user % (most - fewest + 1))
  const stride = 1 + (Math.floor(user / channels) % Math.max(1, Math.floor((channels - 1) / Math.max(1, count - 1))))
  return Array.from({ length: count }, (_, n) => firstChannel + ((user + n * stride) % channels))
}

/** The channel of the n-th message: all channels in turn, so that each has the same number of them. */
export const channelOfMessage = (n: number, { channels }: Plan): number => firstChannel + (n % channels)
