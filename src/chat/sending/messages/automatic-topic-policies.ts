/**
 * Topics that people follow, or unmute in a muted channel, by what they do there: by starting the topic, sending to it
 * or taking part in it, as their settings say, and where they are mentioned by name. Says what is wanted; what the
 * topic's policy is, and whether the topic is new, is known under the log's lock (automatic_policies_v1). A policy is
 * never replaced by a weaker one, and bots have none.
 */
import type { UserId } from "../../../ids.ts"
import { type TopicPolicy, topicForms, topicPolicy } from "../../ground/kinds/user-topic-row.ts"
import { mayReadHistory } from "../../ground/permissions/permissions.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import type { ChannelRecord, UserRecord } from "../../ground/realm/records.ts"
import type { JudgedMarks } from "./mark-candidates.ts"

/** The values of the two settings; 4 is never. */
const on = { participation: 1, sending: 2, starting: 3 }
const { followed, unmuted } = topicPolicy

/** A policy that a user is to get. The first one that applies counts. */
interface AutomaticPolicy {
  readonly user_id: UserId
  readonly policy: TopicPolicy
  /** Only with the first message of the topic. */
  readonly is_first: boolean
  /** They may not read the channel's history: messages from before they came are to them as if there were none. */
  readonly is_held_only?: boolean
  /** Not if they have muted the topic: what somebody else does must not undo that; what they do themselves may. */
  readonly keeps_muted: boolean
}

/** An act on a topic: the weakest setting that it fulfils. */
type TopicAct = "sending" | "participation"

const wishesOf = (
  realm: Realm,
  user: UserRecord,
  channel: ChannelRecord,
  deed: TopicAct,
): ReadonlyArray<AutomaticPolicy> => {
  if (user.is_bot) return []
  const { automatically_follow_topics_policy: follow, automatically_unmute_topics_in_muted_streams_policy: unmute } =
    user.settings
  // The settings of a subscription outlive it.
  const isMuted =
    realm.subscriptions.settings(user.id, channel.id)?.is_muted === true &&
    realm.subscriptions.isSubscribed(channel.id, user.id)
  const wish = (policy: TopicPolicy, setting: number): ReadonlyArray<AutomaticPolicy> => {
    const isOnStart = deed === "sending" && setting === on.starting
    if (setting > on[deed] && !isOnStart) return []
    const isHeldOnly = isOnStart && !mayReadHistory(realm, user, channel)
    const plain = { user_id: user.id, policy, is_first: isOnStart, keeps_muted: false }
    return [isHeldOnly ? { is_held_only: true, ...plain } : plain]
  }
  return [...wish(followed, follow), ...(isMuted ? wish(unmuted, unmute) : [])]
}

const argsOf = (wishes: ReadonlyArray<AutomaticPolicy>) =>
  wishes.length === 0 ? {} : { policies: { wishes, forms: topicForms } }

/** As a part of a call of send_messages_v5; nothing for nearly every send. */
export const policiesBySend = (
  realm: Realm,
  sender: UserRecord,
  channel: ChannelRecord,
  { marks, bots }: JudgedMarks,
) => {
  const mentioned = (marks?.mentioned ?? []).filter((id) => {
    const user = realm.users.get(id)
    return !bots.includes(id) && user?.settings.automatically_follow_topics_where_mentioned === true
  })
  const wishes: ReadonlyArray<AutomaticPolicy> = mentioned
    .filter((id) => realm.users.get(id)?.is_bot === false)
    .map((user_id) => ({ user_id, policy: followed, is_first: false, keeps_muted: user_id !== sender.id }))
  // A sender who mentions themselves follows the topic, whatever weaker policy they get by sending.
  return argsOf([...wishes, ...wishesOf(realm, sender, channel, "sending")])
}

/** For somebody who reacts to a message of a channel, or votes in it; nothing for a direct message. */
export const policiesByParticipation = (realm: Realm, user: UserRecord, channel: ChannelRecord | undefined) =>
  channel === undefined ? {} : argsOf(wishesOf(realm, user, channel, "participation"))
