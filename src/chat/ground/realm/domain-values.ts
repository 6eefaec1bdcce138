/**
 * Values that all capabilities share: roles, group settings, names and topics, and how they are compared. Only this
 * file decides which topic is the empty one and how it is shown.
 */
import * as Schema from "effect/Schema"
import { GroupId, idSchemas } from "../../../ids.ts"

/** Lower is more powerful. */
export const roles = { owner: 100, administrator: 200, moderator: 300, member: 400, guest: 600 } as const
export const roleNumbers = [100, 200, 300, 400, 600] as const
export type Role = (typeof roleNumbers)[number]

export const isAdministratorRole = (role: Role): boolean => role <= roles.administrator

/** A permission's holders: a group's id, or a list of users and groups, both sorted. */
export const GroupSetting = Schema.Union([
  idSchemas.group,
  Schema.Struct({
    direct_members: Schema.Array(idSchemas.user),
    direct_subgroups: Schema.Array(idSchemas.group),
  }),
])
export type GroupSetting = typeof GroupSetting.Type

/** Sorted, without duplicates. */
export const sortedIds = <Id extends number>(ids: ReadonlyArray<Id>): ReadonlyArray<Id> =>
  [...new Set(ids)].sort((a, b) => a - b)

/** Groups that every realm has, with these ids. Their members follow from roles. */
export const systemGroups = {
  "role:internet": GroupId(1),
  "role:everyone": GroupId(2),
  "role:members": GroupId(3),
  "role:fullmembers": GroupId(4),
  "role:moderators": GroupId(5),
  "role:administrators": GroupId(6),
  "role:owners": GroupId(7),
  "role:nobody": GroupId(8),
} as const
export type SystemGroupName = keyof typeof systemGroups

const isSystemGroupName = (name: string): name is SystemGroupName => Object.hasOwn(systemGroups, name)
const systemGroupNames: ReadonlyMap<number, SystemGroupName> = new Map(
  Object.keys(systemGroups)
    .filter(isSystemGroupName)
    .map((name) => [systemGroups[name], name]),
)

/** Undefined for a group that is not a system group. */
export const systemGroupName = (id: number): SystemGroupName | undefined => systemGroupNames.get(id)

/**
 * The key by which names, topics and addresses are compared without regard to case; tables store it in the columns
 * `*_folded`. Two letters need more than lower case to be equal wherever they stand: the sigma, whose small form
 * differs at the end of a word, and the small form of U+0130, which keeps its dot as a character of its own.
 */
export const fold = (text: string): string => {
  const lower = text.toLowerCase()
  if (!/ς|\u0307/.test(lower)) return lower
  // Much faster than replaceAll, which takes 50 ms where there are 500,000 such letters.
  return lower.split("ς").join("σ").split("i\u0307").join("i")
}

/** Shown instead of the empty topic to clients without the capability `empty_topic_name`. */
export const emptyTopicDisplayName = "general chat"

/** A topic as a request names it: trimmed; `(no topic)` and the display name of the empty topic become empty. */
export const readTopic = (raw: string): string => {
  const topic = raw.trim()
  return topic === "(no topic)" || fold(topic) === emptyTopicDisplayName ? "" : topic
}

export const showTopic = (topic: string, emptyTopicName: boolean): string =>
  topic === "" && !emptyTopicName ? emptyTopicDisplayName : topic

/** Limits count Unicode code points. A code point is one or two code units, so most texts need not be counted. */
export const isLongerThan = (text: string, limit: number): boolean =>
  text.length > 2 * limit || (text.length > limit && [...text].length > limit)

/** The types of emoji in reactions and statuses, by their names on the wire; each has codes of its own. */
export const reactionTypes = ["unicode_emoji", "realm_emoji", "zulip_extra_emoji"] as const
export type ReactionType = (typeof reactionTypes)[number]

/** Cuts text that is too long instead of refusing it; `mark` replaces its end. */
export const cut = (text: string, limit: number, mark: string): string =>
  isLongerThan(text, limit) ? [...text.slice(0, 2 * limit)].slice(0, limit - [...mark].length).join("") + mark : text

/**
 * Characters that no name or topic may have: control characters, code points without a meaning, and the characters that
 * turn the direction of the text after them (embeddings, overrides, isolates). A name stands within other text, which
 * one that is not closed would turn around, too: "gnp.exe" could show as "exe.png". The marks U+200E, U+200F and
 * U+061C, which turn nothing but themselves, are allowed, and so are joiners, which emoji, Persian and Indic scripts
 * need.
 */
const badCharacter = /[\p{Cc}\p{Cn}\p{Cs}\u202A-\u202E\u2066-\u2069]/u

/** The same characters, for texts from which they are removed. */
export const unwantedCharacters = new RegExp(badCharacter.source, "gu")

/** The position, counted from 1, of the first character that is not allowed in names and topics. */
export const badCharacterAt = (text: string): number | undefined => {
  const index = text.search(badCharacter)
  return index < 0 ? undefined : [...text.slice(0, index)].length + 1
}

/** Only characters that nobody sees, as joiners, fillers, selectors and spaces, or none: nobody could tell such a name. */
const invisible = /^[\p{White_Space}\p{Default_Ignorable_Code_Point}\u2800\uFFF9-\uFFFB]*$/u
export const isInvisible = (text: string): boolean => invisible.test(text)

/** ISO 8601 with microseconds and an offset, as `date_joined` is sent: existing clients parse just this form. */
export const isoTime = (milliseconds: number): string => new Date(milliseconds).toISOString().replace("Z", "000+00:00")

export const unixSeconds = (milliseconds: number): number => Math.floor(milliseconds / 1000)
