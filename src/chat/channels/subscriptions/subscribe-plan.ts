/**
 * Plans a command that subscribes users: the channels to make, the new subscriptions, the events and notices, and the
 * answer; or the refusal. A pure function of the realm in memory.
 */
import * as Result from "effect/Result"
import { archivedUnjoinable, badRequest, type Checked } from "../../../api/errors.ts"
import type { ConfigShape } from "../../../config/config.ts"
import type { CommandStep, NewRow } from "../../../events/step.ts"
import { ChannelId } from "../../../ids.ts"
import {
  isGuest,
  mayAddFirstSubscribers,
  mayAddSubscribers,
  mayKnowOf,
  mayReadContent,
} from "../../ground/permissions/permissions.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import type { ChannelRecord, UserRecord } from "../../ground/realm/records.ts"
import { nameChannel } from "../../sending/notices/names-in-notices.ts"
import { type Notice, noticeSteps, silentMention } from "../../sending/notices/notices.ts"
import { authorVisibility, channelFinder } from "../../text/markdown/find-names.ts"
import { creationNotices } from "../channels/channel-notices.ts"
import type { NewChannelParams } from "../channels/channel-params.ts"
import { defaultChannelRows } from "../channels/default-channels.ts"
import { requireNewChannel } from "../channels/new-channel.ts"
import { maxPairs, type Principals, requirePrincipals } from "./principals.ts"
import { beginSubscribing, type FirstSubscribeChunk, type SubscriptionPairs } from "./subscription-chunks.ts"

/** The most new channels in one command: each adds rows and a message to the first commit. */
const mostMade = 100

/** If a command makes more subscriptions than this, it sends no direct messages about them. */
const mostMessages = 100

export interface RequestedChannel {
  readonly name: string
  readonly description: string
  /** The description's HTML. A hundred of them may take longer than a turn in which commands are judged. */
  readonly rendered: string
  readonly color: string | undefined
}

export interface SubscribeRequest {
  readonly channels: ReadonlyArray<RequestedChannel>
  readonly principals: Principals
  /** The properties of channels that the command makes. */
  readonly made: NewChannelParams
  readonly announce: boolean
  /** Whether a channel that the actor may not join refuses the whole command, or is skipped. */
  readonly fatal: boolean
  /** Whether users get a direct message when somebody else subscribes them to an existing channel. */
  readonly messages: boolean
}

type ChannelNamesByUser = ReadonlyMap<number, ReadonlyArray<string>>

export interface SubscribeAnswer {
  /** Names of channels, by the id of the user. */
  readonly subscribed: ChannelNamesByUser
  readonly already: ChannelNamesByUser
  readonly unauthorized: ReadonlyArray<string>
  /** Whether the users who are due a direct message get one. */
  readonly messagesSent: boolean
}

export interface SubscribePlan {
  readonly answer: SubscribeAnswer
  /** The steps of the first commit; none if nothing has to be written. */
  readonly steps: ReadonlyArray<CommandStep>
  readonly pairs: SubscriptionPairs
  /** The part of the pairs that the first commit holds. */
  readonly begun: FirstSubscribeChunk
}

class NamesByUser extends Map<number, Array<string>> {
  note({ id }: UserRecord, name: string): void {
    const names = this.get(id)
    if (names === undefined) this.set(id, [name])
    else names.push(name)
  }
}

const noticeText = (realm: Realm, actor: UserRecord, user: UserRecord, names: ReadonlyArray<string>): string => {
  const find = channelFinder(realm, authorVisibility(realm, user))
  const channels = names.map((name) => nameChannel({ name }, find))
  return channels.length === 1
    ? `${silentMention(actor)} subscribed you to ${channels[0]}.`
    : `${silentMention(actor)} subscribed you to:\n\n${channels.map((each) => `* ${each}`).join("\n")}`
}

/** The new channels all become default channels or none does, so one row tells of all. */
const defaultRows = (realm: Realm, made: ReadonlyArray<ChannelRecord>): ReadonlyArray<NewRow> => {
  const last = made.at(-1)
  if (last?.is_default !== true) return []
  const others = made.slice(0, -1).map((channel) => [channel.id, channel] as const)
  return defaultChannelRows({ channels: new Map([...realm.channels, ...others]) }, last.id, true)
}

const requireJoinable = (forOthers: boolean, mayAdd: boolean): Checked<void> =>
  forOthers && !mayAdd ? Result.fail(badRequest("Insufficient permission")) : Result.succeed(undefined)

export const planSubscribing = (
  realm: Realm,
  actor: UserRecord,
  wish: SubscribeRequest,
  config: ConfigShape,
): Checked<SubscribePlan> =>
  Result.gen(function* () {
    if (isGuest(actor)) return yield* Result.fail(badRequest("Not allowed for guest users"))
    const people = yield* requirePrincipals(realm, actor, wish.principals)
    if (people.length * wish.channels.length > maxPairs)
      return yield* Result.fail(badRequest(`At most ${maxPairs} subscriptions can be made at once`))
    const forOthers = people.some((user) => user.id !== actor.id)
    const [subscribed, already] = [new NamesByUser(), new NamesByUser()]
    const unauthorized: Array<string> = []
    const made = new Map<ChannelId, ChannelRecord>()
    const channels: Array<SubscriptionPairs["channels"][number]> = []
    let pairs = 0
    const requireMade = ({ name, description, rendered }: RequestedChannel) =>
      Result.gen(function* () {
        const identity = { id: ChannelId(realm.nextChannelId() + made.size), name, description, rendered }
        const channel = yield* requireNewChannel(realm, actor, identity, wish.made, config)
        yield* requireJoinable(forOthers, mayAddFirstSubscribers(realm, actor, channel))
        return channel
      })
    for (const asked of wish.channels) {
      const { name, color } = asked
      const known = realm.findChannelByName(name)
      if (known !== undefined && (known.is_archived || !mayReadContent(realm, actor, known))) {
        // If the actor may neither see this channel nor make one, the answer is as if it did not exist.
        const isKnown = mayKnowOf(realm, actor, known)
        if (!isKnown) yield* requireMade(asked)
        if (wish.fatal && known.is_archived && isKnown) return yield* Result.fail(archivedUnjoinable(known.name))
        if (wish.fatal) return yield* Result.fail(badRequest(`Unable to access channel (${name}).`))
        unauthorized.push(name)
        continue
      }
      if (known === undefined && made.size === mostMade)
        return yield* Result.fail(badRequest(`At most ${mostMade} channels can be made at once`))
      const channel = known ?? (yield* requireMade(asked))
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
    const wanted: SubscriptionPairs = { channels, users: people.map(({ id }) => id) }
    const begun = beginSubscribing(realm, wanted, made)
    const messagesSent = wish.messages && pairs <= mostMessages
    const isMade = new Set([...made.values()].map(({ name }) => name))
    const notices: ReadonlyArray<Notice> = [
      ...[...made.values()].flatMap((channel) => creationNotices(realm, actor, channel, wish.announce)),
      ...(messagesSent ? people : []).flatMap((user) => {
        const names = subscribed.get(user.id)?.filter((name) => !isMade.has(name)) ?? []
        return names.length === 0 || user.id === actor.id || user.is_bot
          ? []
          : [{ user, content: noticeText(realm, actor, user, names) }]
      }),
    ]
    const steps = [...begun.steps, ...defaultRows(realm, [...made.values()]), ...noticeSteps(realm, notices)]
    return {
      answer: { subscribed, already, unauthorized, messagesSent },
      steps: begun.steps.length === 0 ? [] : steps,
      pairs: wanted,
      begun,
    }
  })
