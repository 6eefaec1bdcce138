/**
 * The small values that every capability shares: roles, group settings, names and topics, and how each is compared.
 * The one place that decides what an empty topic is and how it is shown.
 */
import * as Schema from "effect/Schema"
import { GroupId, idSchemas } from "../../ids.ts"

/** Lower is more powerful (contract 2). */
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

/** Each of them once. */
export const sortedIds = <Id extends number>(ids: ReadonlyArray<Id>): ReadonlyArray<Id> =>
  [...new Set(ids)].sort((a, b) => a - b)

/** In every realm, with these ids; members follow from roles. */
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

/** Undefined for a group that people made. */
export const systemGroupName = (id: number): SystemGroupName | undefined => systemGroupNames.get(id)

/**
 * How names, topics and addresses are compared: without regard to case. Two letters are folded further, because
 * databases disagree about them: by what is equal here a unique index on `lower` never refuses what was found new.
 */
export const fold = (text: string): string => {
  const lower = text.toLowerCase()
  return /ς|\u0307/.test(lower) ? lower.replaceAll("ς", "σ").replaceAll("i\u0307", "i") : lower
}

/** How clients without the capability `empty_topic_name` are shown the empty topic. */
export const emptyTopicDisplayName = "general chat"

/** A topic as a request names it: trimmed, and empty where it names the empty topic in one of its three ways. */
export const readTopic = (raw: string): string => {
  const topic = raw.trim()
  return topic === "(no topic)" || fold(topic) === emptyTopicDisplayName ? "" : topic
}

export const showTopic = (topic: string, emptyTopicName: boolean): string =>
  topic === "" && !emptyTopicName ? emptyTopicDisplayName : topic

/** Lengths count Unicode code points; a code point is one or two code units, so most texts need no counting. */
export const isLongerThan = (text: string, limit: number): boolean =>
  text.length > 2 * limit || (text.length > limit && [...text].length > limit)

/** Over-long text is cut, not refused (contract 1.7). */
export const cut = (text: string, limit: number, mark: string): string =>
  isLongerThan(text, limit) ? [...text.slice(0, 2 * limit)].slice(0, limit - [...mark].length).join("") + mark : text

/** The position, from 1, of the first character that no name or topic may have: control, unassigned, surrogate. */
export const badCharacterAt = (text: string): number | undefined => {
  const index = text.search(/[\p{Cc}\p{Cn}\p{Cs}]/u)
  return index < 0 ? undefined : [...text.slice(0, index)].length + 1
}

/** ISO 8601 with an offset, as `date_joined` is sent. */
export const isoTime = (milliseconds: number): string =>
  new Date(milliseconds).toISOString().replace(/\.\d{3}Z$/, "+00:00")

export const unixSeconds = (milliseconds: number): number => Math.floor(milliseconds / 1000)
