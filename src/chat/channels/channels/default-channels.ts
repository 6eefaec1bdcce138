/**
 * Default channels, to which new users are subscribed: POST and DELETE /default_streams. Also makes the rows for other
 * commands that add a channel to the defaults or make it unfit for them.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { type Caller, dataReply, noFields, userEndpoint } from "../../../api/endpoint.ts"
import { badRequest, principalUnauthorized } from "../../../api/errors.ts"
import { id } from "../../../api/params.ts"
import { toMembers } from "../../../events/audience.ts"
import { type Command, change, done, type Judgement, judgementOf } from "../../../events/command.ts"
import type { NewRow } from "../../../events/step.ts"
import { ChannelId } from "../../../ids.ts"
import { requireChannel } from "../../ground/permissions/channel-access.ts"
import { isGuest, mayManageDefaults } from "../../ground/permissions/permissions.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import { Realms } from "../../ground/realm/realms.ts"
import type { ChannelRecord, UserRecord } from "../../ground/realm/records.ts"
import { requireActor } from "../../ground/requester/actor.ts"
import { defaultStreamGroupsKind, defaultStreamsKind } from "./default-channels-event.ts"
import { type DefaultGroupRecord, defaultGroups } from "./default-groups.ts"

type NewRows = ReadonlyArray<NewRow>
type DefaultChannelIds = Pick<Realm, "channels">

const defaultIds = ({ channels }: DefaultChannelIds): ReadonlyArray<ChannelId> =>
  [...channels.values()].filter((channel) => channel.is_default).map(({ id }) => id)

/** The row with all default channel groups. Guests are not told. */
export const defaultGroupsRow = (groups: ReadonlyArray<DefaultGroupRecord>): NewRow =>
  defaultStreamGroupsKind.change({ groups }, toMembers)

/** The default channels as a user reads them; guests and visitors (null) read an empty list. */
export const defaultChannelIds = (realm: Realm, user: UserRecord | null): ReadonlyArray<ChannelId> =>
  user === null || isGuest(user)
    ? []
    : [...realm.channels.values()]
        .filter((channel) => channel.is_default && !channel.is_archived)
        .map((channel) => channel.id)

/** The row that adds a channel to the defaults or removes it; none if nothing changes. The channel may be a new one. */
export const defaultChannelRows = (realm: DefaultChannelIds, channelId: ChannelId, isDefault: boolean): NewRows => {
  const before = defaultIds(realm)
  if (before.includes(channelId) === isDefault) return []
  const channel_ids = isDefault ? [...before, channelId].sort((a, b) => a - b) : before.filter((id) => id !== channelId)
  return [defaultStreamsKind.change({ channel_ids }, toMembers)]
}

/**
 * The rows that remove a channel from the defaults and their groups, because it is archived or becomes private. If a
 * later row of the same command carries the whole channel record, its `is_default` must be false.
 */
export const withoutChannel = (realm: Realm, channelId: ChannelId): NewRows => {
  const isIn = ({ channel_ids }: DefaultGroupRecord) => channel_ids.includes(channelId)
  const { all } = realm.part(defaultGroups)
  const without = all.map((group) =>
    isIn(group) ? { ...group, channel_ids: group.channel_ids.filter((id) => id !== channelId) } : group,
  )
  return [...defaultChannelRows(realm, channelId, false), ...(all.some(isIn) ? [defaultGroupsRow(without)] : [])]
}

/** The requester, if they may manage default channels; a refusal otherwise. */
export const requireManager = (realm: Realm, caller: Caller) =>
  Result.flatMap(requireActor(realm, caller), (actor) =>
    mayManageDefaults(actor)
      ? Result.succeed(actor)
      : Result.fail(principalUnauthorized("Must be an organization administrator")),
  )

/** Why a channel cannot be a default one: it is private or archived. Undefined if it can. */
export const defaultChannelFault = (channel: ChannelRecord): string | undefined =>
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
      const fault = isDefault ? defaultChannelFault(channel) : undefined
      return fault === undefined ? channel : yield* Result.fail(badRequest(fault))
    })
    return judgementOf(planned, (channel): Judgement<void> => {
      const rows = defaultChannelRows(realm, channel.id, isDefault)
      return rows.length === 0 ? done(undefined) : change(rows)
    })
  },
})

const params = { streamId: id("stream_id", ChannelId) }

export const postDefaultStreams = userEndpoint({
  method: "POST",
  path: "/default_streams",
  fresh: "onRefusal",
  summary: "Makes a channel a default channel: new users are subscribed to it.",
  params,
  reply: noFields,
  errors: ["UNAUTHORIZED_PRINCIPAL"],
  run: Effect.fnUntraced(function* (caller, { params: { streamId } }) {
    const realms = yield* Realms
    yield* realms.submit(caller.realm, setDefault(caller, streamId, true))
    return dataReply()
  }),
})

export const deleteDefaultStreams = userEndpoint({
  method: "DELETE",
  path: "/default_streams",
  fresh: "onRefusal",
  summary: "Removes a channel from the default channels.",
  params,
  reply: noFields,
  errors: ["UNAUTHORIZED_PRINCIPAL"],
  run: Effect.fnUntraced(function* (caller, { params: { streamId } }) {
    const realms = yield* Realms
    yield* realms.submit(caller.realm, setDefault(caller, streamId, false))
    return dataReply()
  }),
})
