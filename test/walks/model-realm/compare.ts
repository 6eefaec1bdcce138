/** Compares what a client knows by its register and events with what the model says. Each difference is one line. */
import type { Fields } from "../../kit/client.ts"
import type { RealmClient } from "./realm-client.ts"
import { activeOf, isSubscribed, mayKnow, shown } from "./rules.ts"
import {
  type Channel,
  channelSettings,
  type Group,
  groupSettings,
  realmSettings,
  role,
  type State,
  type User,
} from "./state.ts"

/** The capabilities of a client on which its state depends. */
export interface Able {
  readonly archived: boolean
  readonly deactivatedGroups: boolean
}

const text = (value: unknown): string => JSON.stringify(value)
const sorted = (numbers: Iterable<number>): ReadonlyArray<number> => [...numbers].sort((a, b) => a - b)

const differ = (what: string, is: unknown, should: unknown): ReadonlyArray<string> =>
  text(is) === text(should) ? [] : [`${what} is ${text(is)}, should be ${text(should)}`]

/** The fields of a channel's record that the model determines. */
const channelKeys = (state: State, channel: Channel): Fields => ({
  name: channel.name,
  description: channel.description,
  invite_only: channel.isPrivate,
  is_web_public: channel.isWebPublic,
  history_public_to_subscribers: channel.isShared,
  is_archived: channel.isArchived,
  topics_policy: channel.topicsPolicy,
  ...Object.fromEntries(channelSettings.map((each) => [each, shown(state, channel.settings[each])])),
})

const groupKeys = (state: State, group: Group): Fields => ({
  name: group.name,
  description: group.description,
  deactivated: group.isDeactivated,
  ...Object.fromEntries(groupSettings.map((each) => [each, shown(state, group.settings[each])])),
})

const keysDiffer = (what: string, record: Fields, keys: Fields): ReadonlyArray<string> =>
  Object.entries(keys).flatMap(([key, value]) => differ(`${what}, ${key}`, record[key], value))

/** The differences of a channel's record in an answer. */
export const recordDiffers = (state: State, channel: Channel, record: Fields): ReadonlyArray<string> =>
  keysDiffer(`channel ${channel.id}`, record, {
    ...channelKeys(state, channel),
    subscriber_count: activeOf(state, channel.subscribers).length,
  })

/** The system groups and the roles whose users are their direct members; higher roles are in subgroups. */
const roleGroups: ReadonlyArray<readonly [id: number, roles: ReadonlyArray<number>]> = [
  [2, [role.guest]],
  [3, [role.member]],
  [4, [role.member]],
  [5, [role.moderator]],
  [6, [role.administrator]],
  [7, [role.owner]],
  [8, []],
]

export const clientDiffers = (state: State, user: User, able: Able, client: RealmClient): ReadonlyArray<string> => {
  const found: Array<string> = client.complaints.map((each) => `complaint: ${each}`)
  const channels = [...state.channels.values()].filter(
    (each) => mayKnow(state, user, each) && (able.archived || !each.isArchived),
  )
  found.push(...differ("channels", sorted(client.channels.keys()), sorted(channels.map(({ id }) => id))))
  found.push(
    ...differ(
      "subscribed",
      sorted(client.subscribed),
      sorted(channels.filter((each) => isSubscribed(user, each)).map(({ id }) => id)),
    ),
  )
  for (const channel of channels) {
    const known = client.channels.get(channel.id)
    if (known === undefined) continue
    found.push(...keysDiffer(`channel ${channel.id}`, known.record, channelKeys(state, channel)))
    const members = activeOf(state, channel.subscribers)
    found.push(...differ(`members of ${channel.id}`, sorted(known.subscribers), members))
  }
  found.push(...peopleDiffer(state, client))
  found.push(...groupsDiffer(state, able, client))
  for (const setting of realmSettings)
    found.push(...differ(`realm ${setting}`, client.settings.get(setting), shown(state, state.settings[setting])))
  const defaults = user.role === role.guest ? [] : [...state.channels.values()].filter((each) => each.isDefault)
  found.push(...differ("defaults", sorted(client.defaults), sorted(defaults.map(({ id }) => id))))
  return found
}

const peopleDiffer = (state: State, client: RealmClient): ReadonlyArray<string> =>
  [...state.said].flatMap(([id, { fullName, profile }]) => {
    const known = client.people.get(id)
    const plain = (values: Iterable<readonly [number, string]> = []) => [...values].sort(([a], [b]) => a - b)
    return [
      ...(fullName === null ? [] : differ(`name of ${id}`, known?.fullName, fullName)),
      ...differ(`profile of ${id}`, plain(known?.profile), plain(profile)),
    ]
  })

const groupsDiffer = (state: State, able: Able, client: RealmClient): ReadonlyArray<string> => {
  const groups = [...state.groups.values()].filter((each) => able.deactivatedGroups || !each.isDeactivated)
  const own = sorted([...client.groups.keys()].filter((id) => id > 8))
  const found = [...differ("groups", own, sorted(groups.map(({ id }) => id)))]
  for (const group of groups) {
    const known = client.groups.get(group.id)
    if (known === undefined) continue
    found.push(
      ...keysDiffer(`group ${group.id}`, known.record, groupKeys(state, group)),
      ...differ(`members of group ${group.id}`, sorted(known.members), activeOf(state, group.members)),
      ...differ(`subgroups of group ${group.id}`, sorted(known.subgroups), sorted(group.subgroups)),
    )
  }
  for (const [id, roles] of roleGroups) {
    const members = [...state.users.values()].filter((each) => each.isActive && roles.includes(each.role))
    const known = client.groups.get(id)
    if (known === undefined) found.push(`system group ${id} is missing`)
    else found.push(...differ(`members of group ${id}`, sorted(known.members), sorted(members.map((each) => each.id))))
  }
  return found
}
