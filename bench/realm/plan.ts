/** A large organization, as the processes of its benchmark tell it each other: channel 1 has everybody, the next ones some. */
import * as Schema from "effect/Schema"

export const Orders = Schema.Struct({
  databaseUrl: Schema.NullOr(Schema.String),
  /** Where the embedded database is, and what else a server keeps. */
  folder: Schema.String,
  people: Schema.Number,
  /** About so many, evenly divided between the people. */
  subscriptions: Schema.Number,
})
export type Orders = typeof Orders.Type

/** The last one of the channels that have a share of the people each. */
export const lastChannel = 191
/** A channel of a few, with which the one of everybody is compared. */
export const fewChannel = lastChannel + 1
export const fewPeople = 10

/** Of how many channels each user is in one, beside the one that has everybody. */
export const sharesOf = ({ people, subscriptions }: Pick<Orders, "people" | "subscriptions">): number =>
  Math.max(1, Math.round((lastChannel - 1) / Math.max(1, subscriptions / people - 1)))
