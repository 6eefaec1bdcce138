/**
 * Looks up in the realm what a text speaks of (markdown-names.ts). Only what its author may see is found: a channel that
 * is hidden from them is not linked, as if it did not exist.
 */
import { type MessageId, UserId } from "../../../ids.ts"
import { mayKnowOf, mayReadContent, mayReadHistory } from "../../ground/permissions/permissions.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import type { ChannelRecord, UserRecord } from "../../ground/realm/records.ts"
import { findPerson } from "../../ground/realm/system-bots.ts"
import { fold, readTopic, systemGroupName } from "../../ground/realm/values.ts"
import type { MarkdownNames, NamedChannel, NamedGroup, NamedUser, Spoken } from "./context/markdown-names.ts"
import type { WantedTopic } from "./newest-store.ts"
import { customEmojiOf, linkifiersOf } from "./realm-markup.ts"

/** Which channels the author of a text may know of. */
export type Sees = (channel: ChannelRecord) => boolean

export const sightOf =
  (realm: Realm, author: UserRecord): Sees =>
  (channel) =>
    mayKnowOf(realm, author, channel)

/** The channels that members who are in none see, and one besides: for texts that have no author. */
export const publicAnd =
  (own?: ChannelRecord): Sees =>
  (channel) =>
    !channel.is_private || channel.id === own?.id

const nameOf = (realm: Realm, user: UserRecord): NamedUser => ({
  id: user.id,
  name: user.full_name,
  isInactive: realm.users.has(user.id) && !realm.isActive(user.id),
})

/** The one who is active of those who have the name; if nobody is, the only one. Two of them need an id as well. */
const findByName = (realm: Realm, name: string): UserId | undefined => {
  let [active, anybody, count]: [UserId | undefined, UserId | undefined, number] = [undefined, undefined, 0]
  for (const id of realm.findUsersByName(name)) {
    count++
    anybody = id
    if (!realm.isActive(id)) continue
    if (active !== undefined) return undefined
    active = id
  }
  return active ?? (count === 1 ? anybody : undefined)
}

const findUser = (realm: Realm, text: string): UserRecord | undefined => {
  const [, name = "", id] = /^([^|]*)\|(\d{1,10})$/.exec(text) ?? []
  if (id === undefined) {
    const found = findByName(realm, text)
    return found === undefined ? undefined : realm.users.get(found)
  }
  const user = findPerson(realm, UserId(Number(id)))
  return user !== undefined && (name === "" || fold(name) === fold(user.full_name)) ? user : undefined
}

const groupTitles: ReadonlyMap<string, string> = new Map([
  ["role:nobody", "Nobody"],
  ["role:owners", "Owners"],
  ["role:administrators", "Administrators"],
  ["role:moderators", "Moderators"],
  ["role:fullmembers", "Full members"],
  ["role:members", "Members"],
  ["role:everyone", "Everyone"],
  ["role:internet", "Everyone on the internet"],
])

const findGroups = (realm: Realm, spoken: ReadonlySet<string>): ReadonlyMap<string, NamedGroup> => {
  const found = new Map<string, NamedGroup>()
  if (spoken.size === 0) return found
  const byFolded = new Map<string, NamedGroup>()
  const wanted = new Set(Array.from(spoken, fold))
  for (const { id, name, deactivated } of realm.groups.values()) {
    const system = systemGroupName(id)
    const shown = system === undefined ? name : (groupTitles.get(system) ?? name)
    for (const key of [fold(name), ...(system === undefined ? [] : [fold(shown)])]) {
      if (!wanted.has(key) || byFolded.get(key)?.isInactive === false) continue
      byFolded.set(key, { id, name: shown, isInactive: deactivated, isSystem: system !== undefined })
    }
  }
  for (const name of spoken) {
    const group = byFolded.get(fold(name))
    if (group !== undefined) found.set(name, group)
  }
  return found
}

/** More topics of a text than these are linked without their newest message. */
const mostTopics = 20

/** The topics whose newest messages are to be looked up for a text. */
export const wantedTopics = (realm: Realm, author: UserRecord, spoken: Spoken): ReadonlyArray<WantedTopic> => {
  const wanted: Array<WantedTopic> = []
  for (const [name, topics] of spoken.channels) {
    const channel = topics.size === 0 ? undefined : realm.findChannelByName(name)
    if (channel === undefined || !mayKnowOf(realm, author, channel) || !mayReadContent(realm, author, channel)) continue
    const held = !mayReadHistory(realm, author, channel)
    for (const topic of topics) {
      if (wanted.length === mostTopics) return wanted
      wanted.push({ channel: channel.id, folded: fold(readTopic(topic)), held })
    }
  }
  return wanted
}

const findChannels = (
  realm: Realm,
  sees: Sees,
  spoken: Spoken["channels"],
  newest: NewestOf,
): ReadonlyMap<string, NamedChannel> => {
  const found = new Map<string, NamedChannel>()
  for (const name of spoken.keys()) {
    const channel = realm.findChannelByName(name)
    if (channel === undefined || !sees(channel)) continue
    found.set(name, { id: channel.id, name: channel.name, newest: newest(channel.id) })
  }
  return found
}

/** The newest messages of a channel's topics, by folded topic. */
export type NewestOf = (channel: ChannelRecord["id"]) => NamedChannel["newest"]
const unknown: ReadonlyMap<string, MessageId> = new Map()

/** `host`: by which the author reaches the realm. */
export const findNames = (
  realm: Realm,
  sees: Sees,
  spoken: Spoken,
  host: string = realm.host,
  newest: NewestOf = () => unknown,
): MarkdownNames => {
  const users = new Map<string, NamedUser>()
  for (const text of spoken.users) {
    const user = findUser(realm, text)
    if (user !== undefined) users.set(text, nameOf(realm, user))
  }
  return {
    users,
    groups: findGroups(realm, spoken.groups),
    channels: findChannels(realm, sees, spoken.channels, newest),
    customEmoji: customEmojiOf(realm),
    linkifiers: linkifiersOf(realm),
    host,
    codeLanguage: realm.settings.default_code_block_language,
    previews: null,
  }
}
