/**
 * What a wish to subscribe people comes to on the realm of the moment: which channels have to be made, who is new in
 * which, what everybody is told, and the answer; or why it is refused. Called by the judgements of subscribe.ts.
 */
import * as Result from "effect/Result"
import type { ConfigShape } from "../../config.ts"
import { type ApiError, badRequest } from "../../errors.ts"
import type { NewRow, Step } from "../../events/step.ts"
import { ChannelId } from "../../ids.ts"
import { creationNotices } from "../channels/channel-notices.ts"
import type { NewChannelWish } from "../channels/channel-params.ts"
import { defaultChannelRows } from "../channels/default-channels.ts"
import { requireNewChannel } from "../channels/new-channel.ts"
import { type Notice, noticeSteps, silentMention } from "../notices/notices.ts"
import {
  isGuest,
  mayAddFirstSubscribers,
  mayAddSubscribers,
  mayKnowOf,
  mayReadContent,
} from "../permissions/permissions.ts"
import type { Realm } from "../realm/realm.ts"
import type { ChannelRecord, UserRecord } from "../realm/records.ts"
import { maxPairs, type Principals, requirePrincipals } from "./principals.ts"
import { beginSubscribing, type Pairs, type Subscribing } from "./subscription-chunks.ts"

/** Each brings rows and a message of its own, all in the first commit. */
const mostMade = 100

/** Of more new subscriptions nobody is told by message. */
const mostMessages = 100

export interface NamedChannel {
  readonly name: string
  readonly description: string
  readonly color: string | undefined
}

export interface Wish {
  readonly channels: ReadonlyArray<NamedChannel>
  readonly principals: Principals
  /** What the channels that are made are to be. */
  readonly made: NewChannelWish
  readonly announce: boolean
  /** Whether a channel that the actor may not join refuses all, or is passed over. */
  readonly fatal: boolean
  /** Whether people are told by message who put them into a channel that there was. */
  readonly messages: boolean
}

type Names = ReadonlyMap<number, ReadonlyArray<string>>

export interface Subscribed {
  /** Names of channels, by user. */
  readonly subscribed: Names
  readonly already: Names
  readonly unauthorized: ReadonlyArray<string>
  /** Whether such messages were sent, had anybody to be told. */
  readonly messagesSent: boolean
}

export interface SubscribePlan {
  readonly answer: Subscribed
  /** Of the first commit. None: nothing has to be written. */
  readonly steps: ReadonlyArray<Step>
  readonly pairs: Pairs
  /** How far the first commit comes with the pairs. */
  readonly begun: Subscribing
}

class NamesByUser extends Map<number, Array<string>> {
  note({ id }: UserRecord, name: string): void {
    const names = this.get(id)
    if (names === undefined) this.set(id, [name])
    else names.push(name)
  }
}

const told = (actor: UserRecord, names: ReadonlyArray<string>): string =>
  names.length === 1
    ? `${silentMention(actor)} subscribed you to #**${names[0]}**.`
    : `${silentMention(actor)} subscribed you to:\n\n${names.map((name) => `* #**${name}**`).join("\n")}`

/** All of them become default channels, or none does: one row tells of all. */
const defaultRows = (realm: Realm, made: ReadonlyArray<ChannelRecord>): ReadonlyArray<NewRow> => {
  const last = made.at(-1)
  if (last?.is_default !== true) return []
  const others = made.slice(0, -1).map((channel) => [channel.id, channel] as const)
  const { defaultGroups, channels } = realm
  return defaultChannelRows({ defaultGroups, channels: new Map([...channels, ...others]) }, last.id, true)
}

const requireJoinable = (forOthers: boolean, mayAdd: boolean): Result.Result<void, ApiError> =>
  forOthers && !mayAdd ? Result.fail(badRequest("Insufficient permission")) : Result.succeed(undefined)

export const planSubscribing = (
  realm: Realm,
  actor: UserRecord,
  wish: Wish,
  config: ConfigShape,
): Result.Result<SubscribePlan, ApiError> =>
  Result.gen(function* () {
    if (isGuest(actor)) return yield* Result.fail(badRequest("Not allowed for guest users"))
    const people = yield* requirePrincipals(realm, actor, wish.principals)
    if (people.length * wish.channels.length > maxPairs)
      return yield* Result.fail(badRequest(`At most ${maxPairs} subscriptions can be made at once`))
    const forOthers = people.some((user) => user.id !== actor.id)
    const [subscribed, already] = [new NamesByUser(), new NamesByUser()]
    const unauthorized: Array<string> = []
    const made = new Map<ChannelId, ChannelRecord>()
    const channels: Array<Pairs["channels"][number]> = []
    let pairs = 0
    const requireMade = (name: string, description: string) =>
      Result.gen(function* () {
        const identity = { id: ChannelId(realm.nextChannelId() + made.size), name, description }
        const channel = yield* requireNewChannel(realm, actor, identity, wish.made, config)
        yield* requireJoinable(forOthers, mayAddFirstSubscribers(realm, actor, channel))
        return channel
      })
    for (const { name, description, color } of wish.channels) {
      const known = realm.findChannelByName(name)
      if (known !== undefined && (known.is_archived || !mayReadContent(realm, actor, known))) {
        // Whoever may not make a channel hears of one that they may not know of what they hear where there is none.
        if (!mayKnowOf(realm, actor, known)) yield* requireMade(name, description)
        if (wish.fatal) return yield* Result.fail(badRequest(`Unable to access channel (${name}).`))
        unauthorized.push(name)
        continue
      }
      if (known === undefined && made.size === mostMade)
        return yield* Result.fail(badRequest(`At most ${mostMade} channels can be made at once`))
      const channel = known ?? (yield* requireMade(name, description))
      if (known !== undefined) yield* requireJoinable(forOthers, mayAddSubscribers(realm, actor, known))
      if (known === undefined) made.set(channel.id, channel)
      channels.push({ id: channel.id, color: color ?? null })
      for (const user of people) {
        const isIn = known !== undefined && realm.isSubscribed(known.id, user.id)
        if (isIn) already.note(user, channel.name)
        else {
          pairs++
          subscribed.note(user, channel.name)
        }
      }
    }
    const wanted: Pairs = { channels, users: people.map(({ id }) => id) }
    const begun = beginSubscribing(realm, wanted, made)
    const messagesSent = wish.messages && pairs <= mostMessages
    const isMade = new Set([...made.values()].map(({ name }) => name))
    const notices: ReadonlyArray<Notice> = [
      ...[...made.values()].flatMap((channel) => creationNotices(realm, actor, channel, wish.announce)),
      ...(messagesSent ? people : []).flatMap((user) => {
        const names = subscribed.get(user.id)?.filter((name) => !isMade.has(name)) ?? []
        return names.length === 0 || user.id === actor.id || user.is_bot ? [] : [{ user, content: told(actor, names) }]
      }),
    ]
    const steps = [...begun.rows, ...defaultRows(realm, [...made.values()]), ...noticeSteps(realm, notices)]
    return {
      answer: { subscribed, already, unauthorized, messagesSent },
      steps: begun.rows.length === 0 ? [] : steps,
      pairs: wanted,
      begun,
    }
  })
