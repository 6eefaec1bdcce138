/**
 * Default channels: those that new people are put into (contract 3.8), POST and DELETE /default_streams. Whatever makes a
 * channel one of them, or unfit to be one, writes the rows that are made here.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { type Caller, data, nothing, userEndpoint } from "../../endpoint.ts"
import { badRequest, principalUnauthorized } from "../../errors.ts"
import { toMembers } from "../../events/audience.ts"
import { type Command, change, done, type Judgement, judged } from "../../events/command.ts"
import type { NewRow } from "../../events/step.ts"
import { ChannelId } from "../../ids.ts"
import { id } from "../../params.ts"
import { requireChannel } from "../permissions/channel-access.ts"
import { isGuest, mayManageDefaults } from "../permissions/permissions.ts"
import type { Realm } from "../realm/realm.ts"
import { Realms } from "../realm/realms.ts"
import type { ChannelRecord, DefaultGroupRecord, UserRecord } from "../realm/records.ts"
import { requireActor } from "../requester/actor.ts"
import { defaultStreamGroupsKind, defaultStreamsKind } from "./default-channels-event.ts"

type Rows = ReadonlyArray<NewRow>
type Defaults = Pick<Realm, "channels" | "defaultGroups">

const defaultIds = ({ channels }: Defaults): ReadonlyArray<ChannelId> =>
  [...channels.values()].filter((channel) => channel.is_default).map(({ id }) => id)

/** Guests are not told of any. */
export const defaultGroupsRow = (groups: ReadonlyArray<DefaultGroupRecord>): NewRow =>
  defaultStreamGroupsKind.change({ groups }, toMembers)

/** The channels that new people are put into; guests, and visitors, are not told. */
export const defaultChannelIds = (realm: Realm, user: UserRecord | null): ReadonlyArray<ChannelId> =>
  user === null || isGuest(user)
    ? []
    : [...realm.channels.values()]
        .filter((channel) => channel.is_default && !channel.is_archived)
        .map((channel) => channel.id)

/** The row by which a channel, a new one too, becomes a default one or is one no more; none where that is so already. */
export const defaultChannelRows = (realm: Defaults, channelId: ChannelId, isDefault: boolean): Rows => {
  const before = defaultIds(realm)
  if (before.includes(channelId) === isDefault) return []
  const channel_ids = isDefault ? [...before, channelId].sort((a, b) => a - b) : before.filter((id) => id !== channelId)
  return [defaultStreamsKind.change({ channel_ids }, toMembers)]
}

/**
 * The rows by which a channel that is archived or becomes private leaves the defaults and their groups. A record that a
 * later row carries whole must have `is_default` false.
 */
export const withoutChannel = (realm: Defaults, channelId: ChannelId): Rows => {
  const isIn = ({ channel_ids }: DefaultGroupRecord) => channel_ids.includes(channelId)
  const groups = realm.defaultGroups.map((group) =>
    isIn(group) ? { ...group, channel_ids: group.channel_ids.filter((id) => id !== channelId) } : group,
  )
  return [
    ...defaultChannelRows(realm, channelId, false),
    ...(realm.defaultGroups.some(isIn) ? [defaultGroupsRow(groups)] : []),
  ]
}

/** The requester, if the defaults are theirs to manage. */
export const requireManager = (realm: Realm, caller: Caller) =>
  Result.flatMap(requireActor(realm, caller), (actor) =>
    mayManageDefaults(actor)
      ? Result.succeed(actor)
      : Result.fail(principalUnauthorized("Must be an organization administrator")),
  )

/** Nobody is put into what not everybody may read, or what nobody writes to. */
export const unfit = (channel: ChannelRecord): string | undefined =>
  channel.is_private
    ? "Private channels cannot be made default."
    : channel.is_archived
      ? "Archived channels cannot be made default."
      : undefined

const setDefault = (caller: Caller, id: ChannelId, isDefault: boolean): Command<Realm, void> => ({
  judge: (realm) => {
    const planned = Result.gen(function* () {
      const actor = yield* requireManager(realm, caller)
      const channel = yield* requireChannel(realm, actor, id)
      const fault = isDefault ? unfit(channel) : undefined
      return fault === undefined ? channel : yield* Result.fail(badRequest(fault))
    })
    return judged(planned, (channel): Judgement<void> => {
      const rows = defaultChannelRows(realm, channel.id, isDefault)
      return rows.length === 0 ? done(undefined) : change(rows)
    })
  },
})

const params = { streamId: id("stream_id", ChannelId) }

export const postDefaultStreams = userEndpoint({
  method: "POST",
  path: "/default_streams",
  summary: "Puts new people into a channel from now on.",
  params,
  reply: nothing,
  errors: ["UNAUTHORIZED_PRINCIPAL"],
  run: Effect.fnUntraced(function* (caller, { streamId }) {
    const realms = yield* Realms
    yield* realms.submit(caller.realm, setDefault(caller, streamId, true))
    return data()
  }),
})

export const deleteDefaultStreams = userEndpoint({
  method: "DELETE",
  path: "/default_streams",
  summary: "Puts new people into a channel no more.",
  params,
  reply: nothing,
  errors: ["UNAUTHORIZED_PRINCIPAL"],
  run: Effect.fnUntraced(function* (caller, { streamId }) {
    const realms = yield* Realms
    yield* realms.submit(caller.realm, setDefault(caller, streamId, false))
    return data()
  }),
})
