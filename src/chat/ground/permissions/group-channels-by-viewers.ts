/**
 * Many channels in one row, of which each receiver is told where they see the channel (kinds/visibility/channels-by-viewers.ts). Where that
 * would take too long a row, the queues of all others end instead, and their clients register again.
 */
import { userSet } from "../../../events/event.ts"
import type { NewRow } from "../../../events/step.ts"
import type { ChannelId, UserId } from "../../../ids.ts"
import { endQueuesRow } from "../kinds/queue-end-row.ts"
import type { ChannelsByViewers } from "../kinds/visibility/channels-by-viewers.ts"
import type { GroupSetting } from "../realm/domain-values.ts"
import type { Rules } from "../realm/realm-rules.ts"
import type { ChannelRecord } from "../realm/records.ts"
import { archivedMark, holdersOfOne } from "./channel-visibility.ts"
import { visibilityPermissions } from "./permissions.ts"

type ChannelGroup = ChannelsByViewers["places"][number]

/**
 * The most ids of people that the rows of one kind are made of in a change: whoever leaves or comes back has rows of two kinds, and
 * these take 15 ms at most.
 */
const mostIds = 50_000

/** What is left of the ids that the rows of a change may be made of: they are gathered and encoded in one turn of the loop. */
export class IdBudget {
  #count = mostIds

  /** False: it is too much. */
  take(count: number): boolean {
    this.#count -= count
    return this.#count >= 0
  }
}

/** How many ids a value names. */
export const countIds = (setting: GroupSetting): number =>
  typeof setting === "number" ? 0 : setting.direct_members.length + setting.direct_subgroups.length

/** The users who see channels by a permission, in a list for each set of them: a thousand channels have few of them. */
class ViewerLists {
  readonly #rules: Rules
  readonly #left: IdBudget
  readonly #numbers = new Map<string, number | null>()
  readonly #numbersOfFound = new Map<ReadonlyArray<UserId>, number | null>()
  readonly #numbersOfSets = new Map<string, number>()
  readonly lists: Array<ReadonlyArray<UserId>> = []

  constructor(rules: Rules, left: IdBudget) {
    this.#rules = rules
    this.#left = left
  }

  /** The numbers of the lists of a private channel; null: too many ids. Subscribers and administrators may be in them, too. */
  of(channel: ChannelRecord): ReadonlyArray<number> | null {
    const found = new Set<number>()
    for (const name of visibilityPermissions) {
      const setting = channel.permissions[name]
      if (!this.#left.take(countIds(setting))) return null
      const key = `${name} ${typeof setting === "number" ? setting : JSON.stringify(setting)}`
      const known = this.#numbers.get(key)
      const number = known === undefined ? this.#find(channel, name) : known
      if (number === undefined) return null
      this.#numbers.set(key, number)
      if (number !== null) found.add(number)
    }
    return [...found].sort((a, b) => a - b)
  }

  /** The number of a permission's list; null where nobody holds it. Settings that are written otherwise often have equal lists. */
  #find(channel: ChannelRecord, name: (typeof visibilityPermissions)[number]): number | null | undefined {
    const { members } = this.#rules.groups.closureOfSetting(channel.permissions[name])
    const holders = holdersOfOne(this.#rules, channel, name)
    const known = this.#numbersOfFound.get(holders)
    if (!this.#left.take(known === undefined ? Math.max(members.length, holders.length) : members.length))
      return undefined
    const number = known === undefined ? this.#numberOf(holders) : known
    this.#numbersOfFound.set(holders, number)
    return number
  }

  #numberOf(holders: ReadonlyArray<UserId>): number | null {
    if (holders.length === 0) return null
    const content = Buffer.from(userSet(holders).buffer).toString("latin1")
    const number = this.#numbersOfSets.get(content) ?? this.lists.push(holders) - 1
    this.#numbersOfSets.set(content, number)
    return number
  }
}

/** These channels, with what says who sees which of them; null: it takes more ids than are left. */
export const groupChannelsByViewers = (
  rules: Rules,
  channels: ReadonlyArray<ChannelRecord>,
  left: IdBudget = new IdBudget(),
): ChannelsByViewers | null => {
  const knowers = new ViewerLists(rules, left)
  const places = new Map<string, ChannelGroup & { readonly channel_ids: Array<ChannelId> }>()
  for (const channel of channels) {
    const { id, is_private, is_web_public } = channel
    const known_by = is_private ? knowers.of(channel) : []
    if (known_by === null) return null
    const key = `${is_private} ${is_web_public} ${channel.is_archived} ${known_by}`
    const known = places.get(key)
    if (known === undefined)
      places.set(key, { channel_ids: [id], is_private, is_web_public, ...archivedMark(channel), known_by })
    else known.channel_ids.push(id)
  }
  return { places: [...places.values()], knowers: knowers.lists }
}

/** Instead of a row about many channels: everybody may see some of them, but for the user whom it is about. */
export const endOtherQueues = (rules: Rules, user: UserId): NewRow =>
  endQueuesRow([...rules.users.keys()].filter((id) => id !== user && rules.isActive(id)))
