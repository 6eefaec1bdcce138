/**
 * The seed's accounts by what they do, channels and messages, as the processes of a siege tell them each other. Its
 * address stands in every request of a siege.
 */
import * as Schema from "effect/Schema"

export const Account = Schema.Struct({ id: Schema.Number, email: Schema.String, key: Schema.String })
const Channel = Schema.Struct({ id: Schema.Number, name: Schema.String })

export const Target = Schema.Struct({
  /** The users who talk while the others attack. */
  honest: Schema.Array(Account),
  guests: Schema.Array(Account),
  members: Schema.Array(Account),
  /** Clients that do not read what they asked for. */
  slow: Schema.Array(Account),
  /** The author of the messages of the private channel. */
  author: Account,
  channels: Schema.Struct({
    /** The channel in which the honest users talk. */
    talk: Channel,
    /** Public, with messages of 10,000 characters. */
    long: Channel,
    /** Private; no attacker may see it. */
    secret: Channel,
    /** The channel to which attackers and slow clients are subscribed. */
    noise: Channel,
  }),
  users: Schema.Number,
  /** The ids of the long messages: the first one, and how many follow each other. */
  longMessages: Schema.Struct({ first: Schema.Number, count: Schema.Number }),
})
export type Target = typeof Target.Type
export type Account = typeof Account.Type

/** The host of the seeded organization: sent as Host by everybody but those who attack with another one. */
export const host = "bench.example"

/** Loopback addresses by who comes from there, so that their allowances are counted apart. */
export const addresses = {
  honest: "127.0.0.2",
  guest: "127.0.0.3",
  member: "127.0.0.4",
  slow: "127.0.0.6",
} as const

/** Whoever has no account is one of these, in turn. */
export const strangers = Array.from({ length: 40 }, (_, n) => `127.0.1.${n + 1}`)
