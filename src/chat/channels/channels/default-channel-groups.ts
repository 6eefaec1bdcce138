/**
 * Default channel groups: named groups of channels that new users can be subscribed to together. Each change sends the
 * whole list to all but guests. Names are unique without regard to case. Default, private and archived channels cannot
 * be in a group.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { type Caller, dataReply, noFields, userEndpoint } from "../../../api/endpoint.ts"
import { badRequest, type Checked } from "../../../api/errors.ts"
import { anyLength, choice, integer, json, optional, text } from "../../../api/params.ts"
import { id as idShape, list, string } from "../../../api/shapes.ts"
import { Config, type Limits } from "../../../config/config.ts"
import { type Command, change, done, type Judgement, judgementOf } from "../../../events/command.ts"
import { ChannelId } from "../../../ids.ts"
import { requireChannel } from "../../ground/permissions/channel-access.ts"
import { mayKnowOf } from "../../ground/permissions/permissions.ts"
import { fold } from "../../ground/realm/domain-values.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import { Realms } from "../../ground/realm/realms.ts"
import type { ChannelRecord, UserRecord } from "../../ground/realm/records.ts"
import { readChannelDescription, readNameOf } from "../../ground/requester/read-names.ts"
import { defaultChannelFault, defaultGroupsRow, requireManager } from "./default-channels.ts"
import { type DefaultGroupRecord, defaultGroups } from "./default-groups.ts"

type DefaultGroupList = ReadonlyArray<DefaultGroupRecord>

/** Plans a change: the whole list afterwards, the present list if nothing is to be changed, or a refusal. */
type DefaultGroupChange = (realm: Realm, actor: UserRecord) => Checked<DefaultGroupList>

const submit = Effect.fnUntraced(function* (caller: Caller, wanted: DefaultGroupChange) {
  const realms = yield* Realms
  const command: Command<Realm, void> = {
    judge: (realm) => {
      const changed = Result.flatMap(requireManager(realm, caller), (actor) => wanted(realm, actor))
      return judgementOf(
        changed,
        (groups): Judgement<void> =>
          groups === realm.part(defaultGroups).all ? done(undefined) : change([defaultGroupsRow(groups)]),
      )
    },
  }
  yield* realms.submit(caller.realm, command)
  return dataReply()
})

const fail = (msg: string): Checked<never> => Result.fail(badRequest(msg))

/** The channels that a request names, by id or by name; either list may be absent. */
interface ChannelsByName {
  readonly ids: ReadonlyArray<ChannelId> | undefined
  readonly names: ReadonlyArray<string> | undefined
}

const channelParams = {
  ids: optional(json("stream_ids", list(idShape(ChannelId), 1000))),
  names: optional(json("stream_names", list(string, 1000))),
}

const requireNamed = (realm: Realm, actor: UserRecord, { ids = [], names = [] }: ChannelsByName) =>
  Result.gen(function* () {
    const found = new Map<number, ChannelRecord>()
    for (const id of ids) found.set(id, yield* requireChannel(realm, actor, id))
    for (const name of names) {
      const channel = realm.findChannelByName(name.trim())
      if (channel === undefined || !mayKnowOf(realm, actor, channel))
        return yield* fail(`Invalid channel name '${name}'`)
      found.set(channel.id, channel)
    }
    return [...found.values()]
  })

const requireFit = (channels: ReadonlyArray<ChannelRecord>, group: string): Checked<ReadonlyArray<ChannelId>> => {
  for (const channel of channels) {
    const fault = defaultChannelFault(channel)
    if (fault !== undefined) return fail(fault)
    if (channel.is_default) return fail(`'${channel.name}' is a default channel and cannot be added to '${group}'`)
  }
  return Result.succeed(channels.map(({ id }) => id))
}

const requireGroup = (groups: DefaultGroupList, id: number): Checked<DefaultGroupRecord> => {
  const group = groups.find((each) => each.id === id)
  return group === undefined ? fail(`Default channel group with id '${id}' does not exist.`) : Result.succeed(group)
}

/**
 * Refuses a name that another group has. `own`: the group to be named, which may have the name already; null: a new
 * one.
 */
const requireFreeName = (groups: DefaultGroupList, name: string, own: number | null): Checked<string> =>
  groups.some((each) => each.id !== own && fold(each.name) === fold(name))
    ? fail(`Default channel group '${name}' already exists`)
    : Result.succeed(name)

const replaced = (groups: DefaultGroupList, group: DefaultGroupRecord): DefaultGroupList =>
  groups.map((each) => (each.id === group.id ? group : each))

interface DefaultGroupTexts {
  readonly name: string | undefined
  readonly description: string | undefined
}

const readTexts = ({ name, description }: DefaultGroupTexts, limits: Limits): Checked<DefaultGroupTexts> =>
  Result.gen(function* () {
    return {
      name: name === undefined ? undefined : yield* readNameOf("Default channel group", name, limits),
      description: description === undefined ? undefined : yield* readChannelDescription(description, limits),
    }
  })

const groupId = integer("group_id")

export const postDefaultStreamGroups = userEndpoint({
  method: "POST",
  path: "/default_stream_groups/create",
  fresh: "onRefusal",
  summary: "Makes a default channel group, to which new users can be subscribed together.",
  params: { groupName: text("group_name"), description: text("description", anyLength), ...channelParams },
  reply: noFields,
  errors: ["UNAUTHORIZED_PRINCIPAL"],
  run: Effect.fnUntraced(function* (caller, { params: { groupName, description, ...named } }) {
    const { limits } = yield* Config
    const texts = yield* Effect.fromResult(readTexts({ name: groupName, description }, limits))
    return yield* submit(caller, (realm, actor) =>
      Result.gen(function* () {
        const groups = realm.part(defaultGroups).all
        const name = yield* requireFreeName(groups, texts.name ?? "", null)
        const channel_ids = yield* requireFit(yield* requireNamed(realm, actor, named), name)
        const id = Math.max(0, ...groups.map((each) => each.id)) + 1
        return [...groups, { id, name, description: texts.description ?? "", channel_ids }]
      }),
    )
  }),
})

export const patchDefaultStreamGroup = userEndpoint({
  method: "PATCH",
  path: "/default_stream_groups/{group_id:int}",
  fresh: "onRefusal",
  summary: "Changes the name or the description of a default channel group.",
  params: {
    groupId,
    name: optional(text("new_group_name")),
    description: optional(text("new_description", anyLength)),
  },
  reply: noFields,
  errors: ["UNAUTHORIZED_PRINCIPAL"],
  run: Effect.fnUntraced(function* (caller, { params: { groupId: id, ...given } }) {
    const { limits } = yield* Config
    if (given.name === undefined && given.description === undefined)
      return yield* badRequest(`You must pass "new_description" or "new_group_name".`)
    const texts = yield* Effect.fromResult(readTexts(given, limits))
    return yield* submit(caller, (realm) =>
      Result.gen(function* () {
        const groups = realm.part(defaultGroups).all
        const group = yield* requireGroup(groups, id)
        const name = yield* requireFreeName(groups, texts.name ?? group.name, id)
        const description = texts.description ?? group.description
        return name === group.name && description === group.description
          ? groups
          : replaced(groups, { ...group, name, description })
      }),
    )
  }),
})

export const deleteDefaultStreamGroup = userEndpoint({
  method: "DELETE",
  path: "/default_stream_groups/{group_id:int}",
  fresh: "onRefusal",
  summary: "Removes a default channel group; the channels stay.",
  params: { groupId },
  reply: noFields,
  errors: ["UNAUTHORIZED_PRINCIPAL"],
  run: Effect.fnUntraced(function* (caller, { params: { groupId: id } }) {
    return yield* submit(caller, (realm) => {
      const groups = realm.part(defaultGroups).all
      return Result.map(requireGroup(groups, id), (group) => groups.filter((each) => each !== group))
    })
  }),
})

export const patchDefaultStreamGroupStreams = userEndpoint({
  method: "PATCH",
  path: "/default_stream_groups/{group_id:int}/streams",
  fresh: "onRefusal",
  summary: "Adds channels to a default channel group, or removes them from it.",
  params: { groupId, op: choice("op", ["add", "remove"]), ...channelParams },
  reply: noFields,
  errors: ["UNAUTHORIZED_PRINCIPAL"],
  run: Effect.fnUntraced(function* (caller, { params: { groupId: id, op, ...named } }) {
    return yield* submit(caller, (realm, actor) =>
      Result.gen(function* () {
        const groups = realm.part(defaultGroups).all
        const group = yield* requireGroup(groups, id)
        const channels = yield* requireNamed(realm, actor, named)
        const known = new Set(group.channel_ids)
        const isIn = (channel: ChannelRecord) => known.has(channel.id)
        const odd = channels.find((channel) => isIn(channel) === (op === "add"))
        if (odd !== undefined)
          return yield* fail(
            `Channel '${odd.name}' is ${op === "add" ? "already" : "not"} in the default channel group '${group.name}'`,
          )
        if (channels.length === 0) return groups
        const added = op === "add" ? yield* requireFit(channels, group.name) : []
        const gone = new Set(op === "add" ? [] : channels.map((channel) => channel.id))
        const channel_ids = [...group.channel_ids.filter((each) => !gone.has(each)), ...added]
        return replaced(groups, { ...group, channel_ids })
      }),
    )
  }),
})
