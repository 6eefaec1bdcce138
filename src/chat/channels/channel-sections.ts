/**
 * The sections of register about channels: `streams`, and those about default channels. Lists are sorted by channel id,
 * so that equal states are equal texts. The JSON that is the same for everybody who sees a channel is made once and
 * kept.
 */
import * as Schema from "effect/Schema"
import { TextList } from "../../json-pieces.ts"
import { type Section, section } from "../kinds/section.ts"
import type { SectionView } from "../kinds/section-view.ts"
import { isGuest, isOpenToVisitors, mayKnowOf } from "../permissions/permissions.ts"
import type { Realm } from "../realm/realm.ts"
import type { ChannelRecord, UserRecord } from "../realm/records.ts"
import { Channel, wireChannel } from "../wire/wire-channel.ts"
import { defaultChannelIds } from "./default-channels.ts"
import { DefaultChannels, DefaultGroups, wireDefaultGroups } from "./default-channels-event.ts"

/** The channels that a user, or (null) a visitor without an account, may know of. */
export const visibleChannels = (
  realm: Realm,
  user: UserRecord | null,
  view: Pick<SectionView, "archivedChannels">,
): ReadonlyArray<ChannelRecord> =>
  [...realm.channels.values()].filter((channel) =>
    user === null
      ? isOpenToVisitors(channel)
      : (view.archivedChannels || !channel.is_archived) && mayKnowOf(realm, user, channel),
  )

interface Written {
  readonly subscribers: number
  /** The position of the newest row about people when the text was made: permissions show active users only. */
  readonly people: number
  readonly open: string
}
const written = new WeakMap<ChannelRecord, Written>()

/** The channel's record as JSON without its closing brace, so that a caller can append fields. */
export const openText = (realm: Realm, channel: ChannelRecord, subscribers: number): string => {
  const people = realm.changedAt(["realm_user"])
  const known = written.get(channel)
  if (known?.subscribers === subscribers && known.people === people) return known.open
  const open = JSON.stringify(wireChannel(channel, subscribers, realm.isActive)).slice(0, -1)
  written.set(channel, { subscribers, people, open })
  return open
}

export function* writeChannels(realm: Realm, channels: ReadonlyArray<ChannelRecord>) {
  for (const channel of channels) yield openText(realm, channel, realm.subscribers(channel.id).length)
}

export const streamSection: Section = {
  name: "stream",
  keys: { streams: Schema.Array(Channel) },
  prepare: ({ realm, user }, view) => writeChannels(realm, visibleChannels(realm, user, view)),
  take: ({ realm, user }, view) => [
    new TextList(
      "streams",
      visibleChannels(realm, user, view).map(
        (channel) => `${openText(realm, channel, realm.subscribers(channel.id).length)}}`,
      ),
    ),
  ],
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
    realm_default_stream_groups: user === null || isGuest(user) ? [] : wireDefaultGroups(realm.defaultGroups),
  }),
)
