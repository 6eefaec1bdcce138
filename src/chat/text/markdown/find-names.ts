/**
 * Looks up in the realm what a text speaks of (markdown-names.ts). Only what its author may see is found: a channel that
 * is hidden from them is not linked, as if it did not exist.
 */
import { type MessageId, UserId } from "../../../ids.ts"
import { mayKnowOf, mayReadContent, mayReadHistory } from "../../ground/permissions/permissions.ts"
import { mayKnow } from "../../ground/realm/acquaintance/acquaintance.ts"
import { fold, readTopic, systemGroupName } from "../../ground/realm/domain-values.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import type { ChannelRecord, UserRecord } from "../../ground/realm/records.ts"
import { findPerson } from "../../ground/realm/system-bots.ts"
import { decodeEntities } from "../characters/entities.ts"
import {
  type MarkdownNames,
  type NamedChannel,
  type NamedGroup,
  type NamedUser,
  type NamesInText,
  readChannelReference,
} from "./context/markdown-names.ts"
import type { WantedTopic } from "./newest-topics-store.ts"
import { customEmojiOf, linkifiersOf } from "./realm-markup.ts"

/** Which channels the author of a text may know of; `knows`: which people, absent: all. */
export interface AuthorVisibility {
  (channel: ChannelRecord): boolean
  readonly knows?: (user: UserRecord) => boolean
}

export const authorVisibility = (realm: Realm, author: UserRecord): AuthorVisibility =>
  Object.assign((channel: ChannelRecord) => mayKnowOf(realm, author, channel), {
    knows: (user: UserRecord) => mayKnow(realm, author, user),
  })

/** The channels that members who are in none see, and one besides: for texts that have no author. */
export const publicAnd =
  (own?: ChannelRecord): AuthorVisibility =>
  (channel) =>
    !channel.is_private || channel.id === own?.id

/** Finds by a name as it was written: with entities for characters, where no name holds what looks like them. */
const byWritten = <Found>(text: string, find: (name: string) => Found | undefined): Found | undefined => {
  const found = find(text)
  if (found !== undefined || !text.includes("&")) return found
  const name = decodeEntities(text)
  return name === text ? undefined : find(name)
}

/** Finds the channels that somebody sees by their names. */
export const channelFinder =
  (realm: Realm, sees: AuthorVisibility) =>
  (name: string): ChannelRecord | undefined => {
    const channel = realm.findChannelByName(name)
    return channel !== undefined && sees(channel) ? channel : undefined
  }

const nameOf = (realm: Realm, user: UserRecord): NamedUser => ({
  id: user.id,
  name: user.full_name,
  isInactive: realm.users.has(user.id) && !realm.isActive(user.id),
})

type KnowsUser = (user: UserRecord) => boolean
const everybody: KnowsUser = () => true

/** The one who is active of those who have the name; if nobody is, the only one. Two of them need an id as well. */
const findByName = (realm: Realm, name: string, knows: KnowsUser): UserId | undefined => {
  let [active, anybody, count]: [UserId | undefined, UserId | undefined, number] = [undefined, undefined, 0]
  for (const id of realm.findUsersByName(name)) {
    const user = realm.users.get(id)
    if (user === undefined || !knows(user)) continue
    count++
    anybody = id
    if (!realm.isActive(id)) continue
    if (active !== undefined) return undefined
    active = id
  }
  return active ?? (count === 1 ? anybody : undefined)
}

/** Whether a name is that of somebody else. */
const isAnothers = (realm: Realm, name: string, { id: own }: UserRecord, knows: KnowsUser): boolean =>
  [...realm.findUsersByName(name)].some((id) => {
    const user = realm.users.get(id)
    return id !== own && user !== undefined && knows(user)
  })

/**
 * The id is behind the last `|`: names may have one, too. It says who is meant, whatever they were called when the mention was
 * written; only where the name is somebody else's the two contradict each other.
 */
const findUser = (realm: Realm, text: string, knows: KnowsUser): UserRecord | undefined => {
  const [, name = "", id] = /^(.*)\|(\d{1,10})$/s.exec(text) ?? []
  if (id === undefined) {
    const found = findByName(realm, text, knows)
    return found === undefined ? undefined : realm.users.get(found)
  }
  const user = findPerson(realm, UserId(Number(id)))
  if (user === undefined || !knows(user)) return undefined
  return fold(name) === fold(user.full_name) || !isAnothers(realm, name, user, knows) ? user : undefined
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
  const wanted = new Set([...spoken].flatMap((name) => [fold(name), fold(decodeEntities(name))]))
  for (const { id, name, deactivated } of realm.groups.values()) {
    const system = systemGroupName(id)
    const shown = system === undefined ? name : (groupTitles.get(system) ?? name)
    for (const key of [fold(name), ...(system === undefined ? [] : [fold(shown)])]) {
      if (!wanted.has(key) || byFolded.get(key)?.isInactive === false) continue
      byFolded.set(key, { id, name: shown, isInactive: deactivated, isSystem: system !== undefined })
    }
  }
  for (const name of spoken) {
    const group = byWritten(name, (written) => byFolded.get(fold(written)))
    if (group !== undefined) found.set(name, group)
  }
  return found
}

/** More topics of a text than these are linked without their newest message. */
const mostTopics = 20

/** The topics whose newest messages are to be looked up for a text. */
export const wantedTopics = (realm: Realm, author: UserRecord, spoken: NamesInText): ReadonlyArray<WantedTopic> => {
  const wanted: Array<WantedTopic> = []
  const find = channelFinder(realm, authorVisibility(realm, author))
  for (const text of spoken.references) {
    const { channel, topic, message } = readChannelReference(text, find) ?? {}
    if (channel === undefined || topic === undefined || message !== undefined) continue
    if (!mayReadContent(realm, author, channel)) continue
    if (wanted.length === mostTopics) return wanted
    const held = !mayReadHistory(realm, author, channel)
    wanted.push({ channel: channel.id, folded: fold(readTopic(topic)), held })
  }
  return wanted
}

const findChannels = (
  realm: Realm,
  sees: AuthorVisibility,
  references: NamesInText["references"],
  newest: NewestOf,
): ReadonlyMap<string, NamedChannel> => {
  const found = new Map<string, NamedChannel>()
  const find = channelFinder(realm, sees)
  for (const text of references) {
    const { channel, name = "" } = readChannelReference(text, find) ?? {}
    if (channel !== undefined) found.set(name, { id: channel.id, name: channel.name, newest: newest(channel.id) })
  }
  return found
}

/** The newest messages of a channel's topics, by folded topic. */
export type NewestOf = (channel: ChannelRecord["id"]) => NamedChannel["newest"]
const unknown: ReadonlyMap<string, MessageId> = new Map()

/** `host`: by which the author reaches the realm. */
export const findNames = (
  realm: Realm,
  sees: AuthorVisibility,
  spoken: NamesInText,
  host: string = realm.host,
  newest: NewestOf = () => unknown,
): MarkdownNames => {
  const users = new Map<string, NamedUser>()
  for (const text of spoken.users) {
    const user = byWritten(text, (written) => findUser(realm, written, sees.knows ?? everybody))
    if (user !== undefined) users.set(text, nameOf(realm, user))
  }
  return {
    users,
    groups: findGroups(realm, spoken.groups),
    channels: findChannels(realm, sees, spoken.references, newest),
    customEmoji: customEmojiOf(realm),
    linkifiers: linkifiersOf(realm),
    host,
    codeLanguage: realm.settings.default_code_block_language,
    previews: null,
  }
}
