/**
 * The sections of register about channels: `streams`, and those about default channels. Lists are sorted by channel id,
 * so that equal states are equal texts. The JSON that is the same for everybody who sees a channel is made once and
 * kept.
 */
import * as Schema from "effect/Schema"
import { JsonBlock, type JsonItem, JsonMember, type ListPart } from "../../../json-pieces.ts"
import { type Section, type SectionSource, section } from "../../ground/kinds/section.ts"
import type { SectionView } from "../../ground/kinds/section-view.ts"
import { cachedLists, type SharedList } from "../../ground/kinds/shared-list.ts"
import { isGuest, isOpenTo, isOpenToVisitors, mayKnowOf } from "../../ground/permissions/permissions.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import type { ChannelRecord, UserRecord } from "../../ground/realm/records.ts"
import { Channel, wireChannel } from "../../ground/wire/wire-channel.ts"
import { defaultChannelIds } from "./default-channels.ts"
import { DefaultChannels, DefaultGroups, wireDefaultGroups } from "./default-channels-event.ts"
import { defaultGroups } from "./default-groups.ts"

/** The record of a channel as JSON, with as many fields as a list shows of it. */
export class ChannelText implements JsonItem {
  /** Without the closing brace. */
  readonly open: string
  #rest: JsonBlock | null = null

  constructor(open: string) {
    this.open = open
  }

  get text(): string {
    return `${this.open}}`
  }

  /** Without the opening brace, so that fields of one's own can stand before it. */
  get rest(): JsonBlock {
    this.#rest ??= new JsonBlock([{ text: this.text.slice(1) }])
    return this.#rest
  }
}

interface ChannelWithText {
  readonly subscribers: number
  /** Number of times that somebody's account was opened or closed before: permissions show active users only. */
  readonly accounts: number
  readonly text: ChannelText
}
const written = new WeakMap<ChannelRecord, ChannelWithText>()

/** The channel's record as it is now; the same object for as long as it stays the same. */
export const channelText = (realm: Realm, channel: ChannelRecord): ChannelText => {
  const subscribers = realm.subscribers(channel.id).length
  const accounts = realm.roles.changes
  const known = written.get(channel)
  if (known?.subscribers === subscribers && known.accounts === accounts) return known.text
  const open = JSON.stringify(wireChannel(channel, subscribers, realm.isActive)).slice(0, -1)
  const text = known?.text.open === open ? known.text : new ChannelText(open)
  written.set(channel, { subscribers, accounts, text })
  return text
}

/** A channel that a viewer sees. */
interface VisibleChannel {
  readonly channel: ChannelRecord
  /** Whether all viewers of this kind see it. */
  readonly isCommon: boolean
}

/** The channels that a user, or (null) a visitor without an account, may know of. */
export const visibleChannels = (
  realm: Realm,
  user: UserRecord | null,
  view: Pick<SectionView, "archivedChannels">,
): ReadonlyArray<VisibleChannel> => {
  const seen: Array<VisibleChannel> = []
  for (const channel of realm.channels.values()) {
    if (user === null) {
      if (isOpenToVisitors(channel)) seen.push({ channel, isCommon: true })
      continue
    }
    if (channel.is_archived && !view.archivedChannels) continue
    const isCommon = isOpenTo(user, channel)
    if (isCommon || mayKnowOf(realm, user, channel)) seen.push({ channel, isCommon })
  }
  return seen
}

/** Lists of channels, by the kind of viewer and by what they show of a channel. */
const listedChannels = cachedLists<ChannelText>(64)

/** How a list shows channels; `name`: of its variant. */
export interface ChannelShape {
  readonly name: string
  readonly text: (channel: ChannelRecord) => ChannelText
}

const everyChannel = () => true

/** Brings a list up to date with what all viewers of its kind see. */
const update = (
  list: SharedList<ChannelText>,
  realm: Realm,
  seen: ReadonlyArray<VisibleChannel>,
  { text }: ChannelShape,
): void => {
  if (list.madeOf === realm.position) return
  /** By id, which are dense. */
  const isThere = new Uint8Array(Math.max(list.end, 1 + realm.channels.size))
  for (const { channel, isCommon } of seen) {
    if (!isCommon) continue
    isThere[channel.id] = 1
    list.set(channel.id, text(channel))
  }
  for (let id = 1; id < list.end; id++) if (isThere[id] === 0) list.set(id, undefined)
  list.madeOf = realm.position
}

/** The member with a list of the channels seen, or of those of them that `isWanted` names. */
export const channelList = (
  name: string,
  { realm, user }: Pick<SectionSource, "realm" | "user">,
  view: Pick<SectionView, "archivedChannels">,
  seen: ReadonlyArray<VisibleChannel>,
  shape: ChannelShape,
  isWanted: (channel: ChannelRecord) => boolean = everyChannel,
): JsonMember => {
  const kind = user === null ? "visitor" : isGuest(user) ? "guest" : "member"
  const list = listedChannels(realm, `${kind} ${view.archivedChannels} ${shape.name}`)
  update(list, realm, seen, shape)
  /** The text that this viewer gets instead of the common item; null: nothing. */
  const own = new Map<number, ChannelText | null>()
  for (const { channel, isCommon } of seen) {
    const isListed = isWanted(channel)
    if (isListed !== isCommon) own.set(channel.id, isListed ? shape.text(channel) : null)
  }
  const alone = (id: number): ListPart | undefined => {
    const text = own.has(id) ? own.get(id) : list.item(id)
    return text ? ["{", text.rest] : undefined
  }
  const differing = [...own.keys()].sort((a, b) => a - b)
  return new JsonMember(name, list.parts(differing, alone))
}

/** By shape, at which position of the log all texts were made last. */
const madeAt = new WeakMap<Realm, Map<string, number>>()

/** Makes the texts that a list will find kept, one for each step. */
export function* writeChannels(realm: Realm, { name, text }: ChannelShape) {
  const known = madeAt.get(realm) ?? new Map<string, number>()
  madeAt.set(realm, known)
  const { position } = realm
  if (known.get(name) === position) return
  for (const channel of [...realm.channels.values()]) yield text(channel)
  known.set(name, position)
}

/** Without subscribers. */
export const plainShape = (realm: Realm): ChannelShape => ({
  name: "plain",
  text: (channel) => channelText(realm, channel),
})

export const streamSection: Section = {
  name: "stream",
  keys: { streams: Schema.Array(Channel) },
  prepare: ({ realm }) => writeChannels(realm, plainShape(realm)),
  take: (source, view) => {
    const { realm, user } = source
    return [channelList("streams", source, view, visibleChannels(realm, user, view), plainShape(realm))]
  },
}

export const defaultStreamsSection = section(
  "default_streams",
  { realm_default_streams: DefaultChannels },
  ({ realm, user }) => ({ realm_default_streams: defaultChannelIds(realm, user) }),
)

/** Like the default channels, empty for guests and visitors. */
export const defaultStreamGroupsSection = section(
  "default_stream_groups",
  { realm_default_stream_groups: DefaultGroups },
  ({ realm, user }) => ({
    realm_default_stream_groups: user === null || isGuest(user) ? [] : wireDefaultGroups(realm.part(defaultGroups).all),
  }),
)
