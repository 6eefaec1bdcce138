/**
 * The operators of narrows: each is one entry of the table at the end, which says what its operand is and what it comes
 * to for a reader. What is unknown is refused with BAD_NARROW and its reason.
 */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import { badNarrow, type Checked, notSignedIn } from "../../../../api/errors.ts"
import { either, integer, list, type Shape, string } from "../../../../api/shapes.ts"
import { ChannelId, MessageId, UserId } from "../../../../ids.ts"
import { isOpenToVisitors, readerKnowsOf } from "../../../ground/permissions/permissions.ts"
import { findPersonFor, findUserByAddress } from "../../../ground/realm/acquaintance/find-user.ts"
import { readTopic } from "../../../ground/realm/domain-values.ts"
import type { Realm } from "../../../ground/realm/realm.ts"
import type { ChannelRecord, UserRecord } from "../../../ground/realm/records.ts"
import { readSearchText, searchOperand } from "../../search/search-words.ts"
import { type Matcher, searchedFlags, searchedParts } from "./matcher.ts"

/** The reader, and the realm that they read. */
export interface NarrowReader {
  readonly realm: Realm
  /** null: a visitor. */
  readonly user: UserRecord | null
}

/** Null: the term filters nothing. */
export type OperatorMeaning = (reader: NarrowReader) => Checked<Matcher | null>

type Operator = (operand: unknown) => Result.Result<OperatorMeaning, string>

const operator =
  <A>(shape: Shape<A>, meaning: (operand: A, reader: NarrowReader) => Checked<Matcher | null>): Operator =>
  (operand) =>
    Result.map(shape(operand, "operand"), (read) => (reader: NarrowReader) => meaning(read, reader))

export const refusedOperand = (desc: string): Checked<never> => Result.fail(badNarrow(desc))
/** The refusal for a visitor, where an account is needed. */
export const needsAccount = (): Checked<never> => Result.fail(notSignedIn())
const matches = (matcher: Matcher | null): Checked<Matcher | null> => Result.succeed(matcher)

const textOrInteger = either(string, integer, "is not a string or integer")
/** Each is looked up, and a request may have 100 such terms, so few more than a conversation has. */
const mostPeople = 250
const addressesOrIds = either(string, list(integer, mostPeople), "is not a string or an integer list")
/** A former subscriber of a public channel holds messages of it, and may search them. Of a private one they are out. */
const knowsOf = ({ realm, user }: NarrowReader, channel: ChannelRecord): boolean =>
  readerKnowsOf(realm, user, channel) ||
  (user !== null && !channel.is_private && realm.subscriptions.wasSubscribed(channel.id, user.id))

const channel = operator(textOrInteger, (operand, reader) => {
  const { realm } = reader
  const found = Predicate.isNumber(operand) ? realm.channels.get(ChannelId(operand)) : realm.findChannelByName(operand)
  if (found !== undefined && knowsOf(reader, found)) return matches({ kind: "channel", channel: found.id })
  return reader.user === null ? needsAccount() : refusedOperand(`unknown channel ${operand}`)
})

const channels = operator(string, (operand, { realm, user }) => {
  if (operand !== "public" && operand !== "web-public") return refusedOperand(`unknown channels operand ${operand}`)
  if (user === null && operand === "public") return needsAccount()
  const wanted = [...realm.channels.values()].filter((each) =>
    user === null ? isOpenToVisitors(each) : operand === "public" ? !each.is_private : each.is_web_public,
  )
  return matches({ kind: "channels", channels: wanted.map((each) => each.id) })
})

const topic = operator(string, (operand) => matches({ kind: "topic", topic: readTopic(operand) }))

const findUser = ({ realm, user }: NarrowReader, named: string | number): UserRecord | undefined =>
  Predicate.isNumber(named) ? findPersonFor(realm, user, UserId(named)) : findUserByAddress(realm, user, named.trim())

const sender = operator(textOrInteger, (operand, reader) => {
  const found = findUser(reader, operand)
  return found === undefined ? refusedOperand(`unknown user ${operand}`) : matches({ kind: "sender", sender: found.id })
})

/** The requester is a participant of the conversation whether they are named or not. */
const directMessages = operator(addressesOrIds, (operand, reader) => {
  if (reader.user === null) return needsAccount()
  if (operand.length === 0) return matches({ kind: "conversation", memberKey: "" })
  const ids = new Set([reader.user.id])
  const people = Predicate.isString(operand) ? operand.split(",", mostPeople + 1) : operand
  if (people.length > mostPeople) return refusedOperand(`more than ${mostPeople} users`)
  for (const named of people) {
    const found = findUser(reader, named)
    if (found === undefined)
      return refusedOperand(`unknown user in ${Predicate.isString(operand) ? operand : JSON.stringify(operand)}`)
    ids.add(found.id)
  }
  return matches({ kind: "conversation", memberKey: [...ids].sort((a, b) => a - b).join(",") })
})

const id = operator(textOrInteger, (operand) => {
  const number = Predicate.isNumber(operand) || /^\d+$/.test(operand) ? Number(operand) : Number.NaN
  return Number.isSafeInteger(number) && number >= 0
    ? matches({ kind: "message", message: MessageId(number) })
    : refusedOperand("Invalid message ID")
})

/** A user whose conversations are meant. */
const participant = (matcher: (user: UserId) => Matcher) =>
  operator(textOrInteger, (operand, reader) => {
    if (reader.user === null) return needsAccount()
    const found = findUser(reader, operand)
    return found === undefined ? refusedOperand(`unknown user ${operand}`) : matches(matcher(found.id))
  })
const including = participant((user) => ({ kind: "including", user }))
const group = participant((user) => ({ kind: "group", user }))

/** The channels that the reader has muted, also those that they have left. */
export const mutedChannels = (realm: Realm, user: UserId): ReadonlyArray<ChannelId> =>
  [...realm.channelsEver(user)].filter((id) => realm.subscriptions.settings(user, id)?.is_muted === true)

const is = operator(string, (operand, { realm, user }) => {
  if (operand === "resolved") return matches({ kind: "resolved" })
  if (user === null) return needsAccount()
  if (operand === "dm" || operand === "private") return matches({ kind: "direct" })
  if (operand === "followed") return matches({ kind: "followed" })
  if (operand === "muted") return matches({ kind: "muted", channels: mutedChannels(realm, user.id) })
  const flag = searchedFlags.find((each) => each === operand)
  return flag === undefined ? refusedOperand(`unknown 'is' operand ${operand}`) : matches({ kind: "flag", flag })
})

const has = operator(string, (operand) => {
  if (operand === "reaction") return matches({ kind: "reaction" })
  const part = searchedParts.find((each) => each === `has_${operand}`)
  return part === undefined ? refusedOperand(`unknown 'has' operand ${operand}`) : matches({ kind: "part", part })
})

const within = operator(string, (operand, { realm, user }) => {
  if (operand === "all") return matches(null)
  if (operand !== "home") return refusedOperand(`unknown 'in' operand ${operand}`)
  return user === null ? needsAccount() : matches({ kind: "home", channels: mutedChannels(realm, user.id) })
})

const search = operator(searchOperand, (operand) => matches({ kind: "text", text: readSearchText(operand) }))

/** Filters nothing: the position to read from is the parameter `anchor`. */
const near = operator(textOrInteger, () => matches(null))

export const invalidWith = "Invalid 'with' operator"
/** Its message is looked up before terms are resolved, so it never comes to this (resolve-narrow.ts). */
const withMessage = operator(textOrInteger, () => refusedOperand(invalidWith))

/** Each operator by all of its names, the first of which is its own. */
const table: ReadonlyArray<readonly [names: ReadonlyArray<string>, read: Operator]> = [
  [["channel", "stream"], channel],
  [["channels", "streams"], channels],
  [["topic", "subject"], topic],
  [["sender"], sender],
  [["dm", "pm-with", "pm_with"], directMessages],
  [["dm-including"], including],
  [["group-pm-with", "group_pm_with"], group],
  [["id"], id],
  [["is"], is],
  [["in"], within],
  [["has"], has],
  [["search"], search],
  [["near"], near],
  [["with"], withMessage],
]
const operators: ReadonlyMap<string, { readonly name: string; readonly read: Operator }> = new Map(
  table.flatMap(([names, read]) => names.map((name) => [name, { name: names[0] ?? name, read }])),
)

/** An unknown one is refused when it is resolved, after the shape of all terms has been looked at. */
export const operatorOf = (name: string): { readonly name: string; readonly read: Operator } =>
  operators.get(name) ?? { name, read: () => Result.succeed(() => refusedOperand(`unknown operator ${name}`)) }
