/**
 * The rules of sending to a channel or to people, as pure functions of the realm in memory. Used by every send, and by
 * typing indicators, whose rules are the same.
 */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import { badRequest, type Checked, channelIdUnknown, channelNameUnknown } from "../../../api/errors.ts"
import { ChannelId, UserId } from "../../../ids.ts"
import { findOwner, holdsRealm, mayKnowOf, mayPost, mayReadContent } from "../../ground/permissions/permissions.ts"
import { findPersonFor, findUserByAddress } from "../../ground/realm/acquaintance/find-user.ts"
import {
  badCharacterAt,
  cut,
  emptyTopicDisplayName,
  isInvisible,
  readTopic,
  systemGroups,
} from "../../ground/realm/domain-values.ts"
import { apiEmail } from "../../ground/realm/email-addresses.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import type { ChannelRecord, UserRecord } from "../../ground/realm/records.ts"
import { isSystemBot } from "../../ground/realm/system-bots.ts"

/** The most people that a list may name, each as often as it likes, and the most characters of a list in one text. */
export const mostNamed = 1000
export const longestAddresses = 100_000

/** The addresses of a text with commas between them; blank ones are skipped. */
const splitAddresses = (text: string): Checked<ReadonlyArray<string>> => {
  const parts = text.split(",", mostNamed + 1)
  if (parts.length > mostNamed)
    return Result.fail(badRequest(`Recipient lists may have at most ${mostNamed} addresses.`))
  return Result.succeed(parts.map((part) => part.trim()).filter((part) => part !== ""))
}

/** A channel or people, by name, address or id. */
type Recipient = string | number | ReadonlyArray<string | number>

/** The place where a message is to go, as its sender says. */
export interface Destination {
  readonly type: "channel" | "direct"
  readonly to: Recipient
  readonly topic: string | undefined
}

export const channelOf = (to: Recipient): Checked<string | number> => {
  if (Predicate.isString(to) || Predicate.isNumber(to)) return Result.succeed(to)
  const [only] = to
  return only !== undefined && to.length === 1
    ? Result.succeed(only)
    : Result.fail(badRequest("Expected exactly one channel"))
}

export const peopleOf = (to: Recipient): Checked<ReadonlyArray<string | number>> => {
  if (Predicate.isNumber(to)) return Result.succeed([to])
  return Predicate.isString(to) ? splitAddresses(to) : Result.succeed(to)
}

/** The participants' ids are the key of the conversation, and one entry of a database index holds at most 2.7 KB. */
const mostPeople = 200

/** A channel by name or id. A channel that the sender may not see answers exactly like one that does not exist. */
export const requireChannelToPost = (realm: Realm, sender: UserRecord, to: string | number): Checked<ChannelRecord> => {
  const channel = typeof to === "number" ? realm.channels.get(ChannelId(to)) : realm.findChannelByName(to)
  const owner = findOwner(realm, sender)
  const eyes = owner === undefined ? [sender] : [sender, owner]
  if (channel === undefined || !eyes.some((user) => mayKnowOf(realm, user, channel)))
    return Result.fail(typeof to === "number" ? channelIdUnknown(to) : channelNameUnknown(to))
  if (channel.is_archived || !eyes.some((user) => mayReadContent(realm, user, channel)))
    return Result.fail(badRequest(`Not authorized to send to channel '${channel.name}'`))
  if (!mayPost(realm, sender, channel))
    return Result.fail(badRequest("You do not have permission to post in this channel."))
  return Result.succeed(channel)
}

/** A topic that this channel accepts; a topic that is too long is cut. */
export const requireTopic = (realm: Realm, channel: ChannelRecord, raw: string, limit: number): Checked<string> => {
  // A batch waits for this, so text that will be cut off anyway is not checked. This first cut may halve a character.
  const start = raw.trim().slice(0, 4 * limit)
  const kept = start.isWellFormed() ? start : start.slice(0, -1)
  const at = badCharacterAt(kept)
  if (at !== undefined) return Result.fail(badRequest(`Invalid character in topic, at position ${at}!`))
  if (kept !== "" && isInvisible(kept)) return Result.fail(badRequest("Invalid character in topic, at position 1!"))
  const topic = cut(readTopic(kept), limit, "...")
  const policy = channel.topics_policy === "inherit" ? realm.settings.topics_policy : channel.topics_policy
  const shown = { empty_topic_display_name: emptyTopicDisplayName }
  if (topic === "" && policy === "disable_empty_topic")
    return Result.fail(
      badRequest(`Sending messages to the ${emptyTopicDisplayName} is not allowed in this channel.`, shown),
    )
  if (topic !== "" && policy === "empty_topic_only")
    return Result.fail(badRequest(`Only the ${emptyTopicDisplayName} topic is allowed in this channel.`, shown))
  return Result.succeed(topic)
}

/** The participants, named all by id or all by API address. The sender is always one. Sorted, without duplicates. */
export const requirePeople = (
  realm: Realm,
  sender: UserRecord,
  to: ReadonlyArray<string | number>,
): Checked<ReadonlyArray<UserRecord>> => {
  if (to.length === 0) return Result.fail(badRequest("Message must have recipients"))
  if (new Set(to.map((each) => typeof each)).size > 1)
    return Result.fail(badRequest("Recipient lists may contain emails or user IDs, but not both."))
  const people = new Map([[sender.id, sender]])
  for (const each of to) {
    const user =
      typeof each === "number" ? findPersonFor(realm, sender, UserId(each)) : findUserByAddress(realm, sender, each)
    if (user === undefined)
      return Result.fail(badRequest(typeof each === "number" ? `Invalid user ID ${each}` : `Invalid email '${each}'`))
    if (!isSystemBot(user) && !realm.isActive(user.id))
      return Result.fail(badRequest(`'${apiEmail(realm, user)}' is no longer using this organization.`))
    people.set(user.id, user)
    if (people.size > mostPeople)
      return Result.fail(badRequest(`A direct message goes to at most ${mostPeople} people, its sender included`))
  }
  return Result.succeed([...people.values()].sort((a, b) => a.id - b.id))
}

/** A direct message needs a participant who may authorise it. Notes to self and messages to bots are always allowed. */
export const requireDirectMessages = (
  realm: Realm,
  sender: UserRecord,
  people: ReadonlyArray<UserRecord>,
): Checked<void> => {
  const setting = realm.settings.direct_message_permission_group
  const isFree = people.every((user) => user.id === sender.id || user.is_bot)
  if (isFree || people.some((user) => holdsRealm(realm, user, "direct_message_permission_group")))
    return Result.succeed(undefined)
  return Result.fail(
    badRequest(
      setting === systemGroups["role:nobody"]
        ? "Direct messages are disabled in this organization."
        : "This conversation does not include any users who can authorize it.",
    ),
  )
}

/** Whether the sender may start this conversation. Whether it exists already is only known in the commit. */
export const mayBeginConversation = (realm: Realm, sender: UserRecord, people: ReadonlyArray<UserRecord>): boolean =>
  people.every((user) => user.id === sender.id || user.is_bot) ||
  holdsRealm(realm, sender, "direct_message_initiator_group")
