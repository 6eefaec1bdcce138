/**
 * Narrows: the filters of a request for messages (contract 4.1). `narrowShape` parses the terms; `readNarrow` resolves
 * them for one reader against the realm in memory, to conditions and to the channels whose whole history is searched. A
 * channel that the user may not see answers exactly like one that does not exist. Every operator is one entry of the
 * table below; one that is known but not supported is refused, not ignored.
 */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import { type ApiError, badNarrow, notSignedIn } from "../../errors.ts"
import { ChannelId, MessageId, UserId } from "../../ids.ts"
import { boolean, either, integer, list, type Shape, string } from "../../shapes.ts"
import { isOpenToVisitors, readerKnowsOf, readerReadsHistory } from "../permissions/permissions.ts"
import { findUserByAddress } from "../realm/addresses.ts"
import type { Realm } from "../realm/realm.ts"
import type { ChannelRecord, UserRecord } from "../realm/records.ts"
import { findPerson } from "../realm/system-bots.ts"
import { readTopic } from "../realm/values.ts"

type Answer<A> = Result.Result<A, ApiError>

/** The reader, and the realm that they read. */
export interface NarrowReader {
  readonly realm: Realm
  /** null: a visitor. */
  readonly user: UserRecord | null
}

const searchedFlags = ["unread", "starred", "mentioned", "alerted"] as const
export type SearchedFlag = (typeof searchedFlags)[number]

/** The condition of one term, without its negation. */
export type Matcher =
  | { readonly kind: "channel"; readonly channel: ChannelId }
  | { readonly kind: "channels"; readonly channels: ReadonlyArray<ChannelId> }
  /** Compared without regard to case; channel messages only. */
  | { readonly kind: "topic"; readonly topic: string }
  | { readonly kind: "sender"; readonly sender: UserId }
  /** Every direct message. */
  | { readonly kind: "direct" }
  /**
   * The direct messages between exactly these people: sorted ids, joined by commas. No conversation has the empty key.
   */
  | { readonly kind: "conversation"; readonly memberKey: string }
  | { readonly kind: "message"; readonly message: MessageId }
  /** The reader has not read the message, has starred it, is mentioned, or it has one of their alert words. */
  | { readonly kind: "flag"; readonly flag: SearchedFlag }
  /** Somebody has reacted to it. */
  | { readonly kind: "reaction" }

export interface Condition {
  readonly matcher: Matcher
  readonly negated: boolean
}

export interface Narrow {
  /** All of them must hold. */
  readonly conditions: ReadonlyArray<Condition>
  /** Channels in which the search includes messages that the user did not receive but may read. */
  readonly history: ReadonlyArray<ChannelId>
}

/** Null: the term filters nothing. */
type Meaning = (reader: NarrowReader) => Answer<Matcher | null>

/** One term, parsed but not yet resolved for a reader. */
export interface Term {
  readonly negated: boolean
  readonly meaning: Meaning
  /** Equal for terms that mean the same, whatever names of operators they use. */
  readonly key: string
}

type Operator = (operand: unknown) => Result.Result<Meaning, string>

const operator =
  <A>(shape: Shape<A>, meaning: (operand: A, reader: NarrowReader) => Answer<Matcher | null>): Operator =>
  (operand) =>
    Result.map(shape(operand, "operand"), (read) => (reader: NarrowReader) => meaning(read, reader))

const refused = (desc: string): Answer<never> => Result.fail(badNarrow(desc))
/** The refusal for a visitor, where an account is needed. */
const needsAccount = (): Answer<never> => Result.fail(notSignedIn())
const matches = (matcher: Matcher | null): Answer<Matcher | null> => Result.succeed(matcher)

const textOrInteger = either(string, integer, "is not a string or integer")
/** Each is looked up, and a request may have 100 such terms, so few more than a conversation has. */
const mostPeople = 250
const addressesOrIds = either(string, list(integer, mostPeople), "is not a string or an integer list")
const words: Shape<string> = (value, path) =>
  Result.flatMap(string(value, path), (text) =>
    text.trim() === "" ? Result.fail(`${path} cannot be blank.`) : Result.succeed(text),
  )

/** A former subscriber holds messages of the channel, and may search them. */
const knowsOf = ({ realm, user }: NarrowReader, channel: ChannelRecord): boolean =>
  readerKnowsOf(realm, user, channel) || (user !== null && realm.subscriptions.wasSubscribed(channel.id, user.id))

const channel = operator(textOrInteger, (operand, reader) => {
  const { realm } = reader
  const found = Predicate.isNumber(operand) ? realm.channels.get(ChannelId(operand)) : realm.findChannelByName(operand)
  if (found !== undefined && knowsOf(reader, found)) return matches({ kind: "channel", channel: found.id })
  return reader.user === null ? needsAccount() : refused(`unknown channel ${operand}`)
})

const channels = operator(string, (operand, { realm, user }) => {
  if (operand !== "public" && operand !== "web-public") return refused(`unknown channels operand ${operand}`)
  if (user === null && operand === "public") return needsAccount()
  const wanted = [...realm.channels.values()].filter((each) =>
    user === null ? isOpenToVisitors(each) : operand === "public" ? !each.is_private : each.is_web_public,
  )
  return matches({ kind: "channels", channels: wanted.map((each) => each.id) })
})

const topic = operator(string, (operand) => matches({ kind: "topic", topic: readTopic(operand) }))

const findUser = ({ realm, user }: NarrowReader, named: string | number): UserRecord | undefined =>
  Predicate.isNumber(named) ? findPerson(realm, UserId(named)) : findUserByAddress(realm, user, named.trim())

const sender = operator(textOrInteger, (operand, reader) => {
  const found = findUser(reader, operand)
  return found === undefined ? refused(`unknown user ${operand}`) : matches({ kind: "sender", sender: found.id })
})

/** The requester is a participant of the conversation whether they are named or not. */
const directMessages = operator(addressesOrIds, (operand, reader) => {
  if (reader.user === null) return needsAccount()
  if (operand.length === 0) return matches({ kind: "conversation", memberKey: "" })
  const ids = new Set([reader.user.id])
  const people = Predicate.isString(operand) ? operand.split(",", mostPeople + 1) : operand
  if (people.length > mostPeople) return refused(`more than ${mostPeople} users`)
  for (const named of people) {
    const found = findUser(reader, named)
    if (found === undefined)
      return refused(`unknown user in ${Predicate.isString(operand) ? operand : JSON.stringify(operand)}`)
    ids.add(found.id)
  }
  return matches({ kind: "conversation", memberKey: [...ids].sort((a, b) => a - b).join(",") })
})

const id = operator(textOrInteger, (operand) => {
  const number = Predicate.isNumber(operand) || /^\d+$/.test(operand) ? Number(operand) : Number.NaN
  return Number.isSafeInteger(number) && number >= 0
    ? matches({ kind: "message", message: MessageId(number) })
    : refused("Invalid message ID")
})

const notYet = (term: string) => refused(`${term} is not supported yet`)

const laterStates: ReadonlySet<string> = new Set(["resolved", "followed", "muted"])
const is = operator(string, (operand, { user }) => {
  if (user === null) return needsAccount()
  if (operand === "dm" || operand === "private") return matches({ kind: "direct" })
  const flag = searchedFlags.find((each) => each === operand)
  if (flag !== undefined) return matches({ kind: "flag", flag })
  return laterStates.has(operand) ? notYet(`is:${operand}`) : refused(`unknown 'is' operand ${operand}`)
})

const laterParts: ReadonlySet<string> = new Set(["link", "image", "attachment"])
const has = operator(string, (operand) => {
  if (operand === "reaction") return matches({ kind: "reaction" })
  return laterParts.has(operand) ? notYet(`has:${operand}`) : refused(`unknown 'has' operand ${operand}`)
})

const within = operator(string, (operand) => {
  if (operand === "all") return matches(null)
  return operand === "home" ? notYet("in:home") : refused(`unknown 'in' operand ${operand}`)
})

/** Filters nothing: the position to read from is the parameter `anchor`. */
const near = operator(textOrInteger, () => matches(null))

const later = (name: string, shape: Shape<unknown>): readonly [string, Operator] => [
  name,
  operator(shape, () => notYet(`operator ${name}`)),
]

const operators: ReadonlyMap<string, Operator> = new Map([
  ["channel", channel],
  ["stream", channel],
  ["channels", channels],
  ["streams", channels],
  ["topic", topic],
  ["subject", topic],
  ["sender", sender],
  ["dm", directMessages],
  ["pm-with", directMessages],
  ["pm_with", directMessages],
  ["id", id],
  ["is", is],
  ["in", within],
  ["near", near],
  ["has", has],
  later("search", words),
  later("with", textOrInteger),
  later("dm-including", textOrInteger),
  later("group-pm-with", textOrInteger),
  later("group_pm_with", textOrInteger),
])

/** The first of the names that an operator has. */
const names: ReadonlyMap<Operator, string> = new Map([...operators].reverse().map(([name, read]) => [read, name]))

const readTerm = (name: unknown, operand: unknown, negated: unknown): Result.Result<Term, string> =>
  Result.gen(function* () {
    const known = yield* string(name, "operator")
    const read = operators.get(known) ?? (() => Result.succeed(() => refused(`unknown operator ${known}`)))
    const isNegated = yield* boolean(negated, "negated")
    const key = JSON.stringify([names.get(read) ?? known, operand, isNegated])
    return { meaning: yield* read(operand), negated: isNegated, key }
  })

const termShape: Shape<Term> = (value, path) => {
  if (Array.isArray(value)) {
    const [name, operand]: ReadonlyArray<unknown> = value
    return value.length === 2 && value.every(Predicate.isString)
      ? readTerm(name, operand, false)
      : Result.fail(`${path} is not a string pair`)
  }
  if (!Predicate.isObject(value)) return Result.fail("dict or list required")
  if (value["operator"] === undefined) return Result.fail("operator is missing")
  if (value["operand"] === undefined) return Result.fail("operand is missing")
  return readTerm(value["operator"], value["operand"], value["negated"] ?? false)
}

const mostTerms = 100
/** The most characters of all terms together: a conversation of 200 people by their addresses. */
const longestNarrow = 20_000

/**
 * The parameter `narrow`: at most 100 terms, as objects or as pairs of older clients, each once: 100 times "all public
 * channels" is the same narrow as once, but costs a hundred times as much.
 */
export const narrowShape: Shape<ReadonlyArray<Term>> = (value, path) =>
  Result.flatMap(list(termShape, mostTerms)(value, path), (terms) => {
    const distinct = new Map(terms.map((term) => [term.key, term]))
    const length = [...distinct.keys()].reduce((sum, key) => sum + key.length, 0)
    return length > longestNarrow
      ? Result.fail(`${path} is too long (limit: ${longestNarrow} characters)`)
      : Result.succeed([...distinct.values()])
  })

const directKinds: ReadonlySet<Matcher["kind"]> = new Set(["direct", "conversation"])
const channelKinds: ReadonlySet<Matcher["kind"]> = new Set(["channel", "channels", "topic"])

const named = (matcher: Matcher): ReadonlyArray<ChannelId> =>
  matcher.kind === "channel" ? [matcher.channel] : matcher.kind === "channels" ? matcher.channels : []

/** A visitor without an account must use one of these operators. */
const opens: ReadonlySet<Matcher["kind"]> = new Set(["channel", "channels"])

/** Resolves the terms for this reader. Fails with BAD_NARROW, or with UNAUTHORIZED where a visitor needs an account. */
export const readNarrow = (terms: ReadonlyArray<Term>, reader: NarrowReader): Answer<Narrow> =>
  Result.gen(function* () {
    const conditions: Array<Condition> = []
    for (const { meaning, negated } of terms) {
      const matcher = yield* meaning(reader)
      if (matcher !== null) conditions.push({ matcher, negated })
    }
    const wanted = conditions.filter((each) => !each.negated).map((each) => each.matcher)
    if (reader.user === null && !wanted.some(({ kind }) => opens.has(kind))) return yield* needsAccount()
    if (wanted.some((each) => directKinds.has(each.kind)) && wanted.some((each) => channelKinds.has(each.kind)))
      return yield* refused("No message can be both a channel message and direct message")
    const history = new Set(wanted.flatMap(named))
    const open = [...history].filter((each) => {
      const record = reader.realm.channels.get(each)
      return record !== undefined && readerReadsHistory(reader.realm, reader.user, record)
    })
    return { conditions, history: open }
  })
