/**
 * Channel folders: named groups of channels in a client's sidebar, in an order that administrators set. Administrators
 * make and change them; everybody reads them. Names are unique without regard to case, and archived folders keep
 * theirs.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { type Caller, dataReply, noFields, userEndpoint } from "../../../api/endpoint.ts"
import { badRequest, type Checked, principalUnauthorized } from "../../../api/errors.ts"
import { anyLength, boolean, id, json, optional, text, withDefault } from "../../../api/params.ts"
import { id as idShape, list } from "../../../api/shapes.ts"
import { Config, type Limits } from "../../../config/config.ts"
import { toRealm } from "../../../events/audience.ts"
import { type Command, change, done, type Judgement, judgementOf } from "../../../events/command.ts"
import { FolderId } from "../../../ids.ts"
import { section } from "../../ground/kinds/section.ts"
import { mayManageFolders } from "../../ground/permissions/permissions.ts"
import { fold } from "../../ground/realm/domain-values.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import { Realms } from "../../ground/realm/realms.ts"
import type { UserRecord } from "../../ground/realm/records.ts"
import { requireActor } from "../../ground/requester/actor.ts"
import { readChannelDescription, readNameOf } from "../../ground/requester/read-names.ts"
import { requireAccount } from "../../ground/requester/requester.ts"
import { Id } from "../../ground/wire/wire-values.ts"
import { publicAnd } from "../../text/markdown/find-names.ts"
import { renderText } from "../../text/markdown/render-text.ts"
import {
  type ChannelFolderPayload,
  channelFolderKind,
  type FolderChange,
  Folders,
  wireFolder,
} from "./channel-folder-event.ts"
import { type FolderRecord, folders } from "./folder-list.ts"

/** All folders, sorted by their place. */
const listFolders = (realm: Pick<Realm, "part">): ReadonlyArray<FolderRecord> =>
  [...realm.part(folders).values()].sort((a, b) => a.order - b.order)

export const channelFoldersSection = section("channel_folders", { channel_folders: Folders }, ({ realm }) => ({
  channel_folders: listFolders(realm).map(wireFolder),
}))

/** Plans a change: the payload of its row, a refusal, or null if nothing is to be changed. */
type FolderCommand<P extends ChannelFolderPayload | null> = (realm: Realm, actor: UserRecord) => Checked<P>

const judge = <P extends ChannelFolderPayload | null>(
  realm: Realm,
  caller: Caller,
  wanted: FolderCommand<P>,
): Judgement<P> => {
  const planned = Result.gen(function* () {
    const actor = yield* requireActor(realm, caller)
    if (!mayManageFolders(actor))
      return yield* Result.fail(principalUnauthorized("Must be an organization administrator"))
    return yield* wanted(realm, actor)
  })
  return judgementOf(
    planned,
    (payload): Judgement<P> =>
      payload === null
        ? done(payload)
        : change([channelFolderKind.change(payload, toRealm)], { answer: () => payload }),
  )
}

/** Answers the payload of the row that was written; null if nothing was to be changed. */
const submit = Effect.fnUntraced(function* <P extends ChannelFolderPayload | null>(
  caller: Caller,
  wanted: FolderCommand<P>,
) {
  const realms = yield* Realms
  const command: Command<Realm, P> = { judge: (realm) => judge(realm, caller, wanted) }
  return yield* realms.submit(caller.realm, command)
})

const requireFreeName = (realm: Realm, name: string, own: number | null): Checked<string> =>
  [...realm.part(folders).values()].some((each) => each.id !== own && fold(each.name) === fold(name))
    ? Result.fail(badRequest(`Channel folder '${name}' already exists`))
    : Result.succeed(name)

interface FolderDescription {
  readonly description: string
  readonly rendered_description: string
}

const readName = (raw: string, limits: Limits): Checked<string> => readNameOf("Channel folder", raw, limits)

const describe = (realm: Realm, description: string): FolderDescription => ({
  description,
  rendered_description: renderText(realm, publicAnd(), description),
})

export const getChannelFolders = userEndpoint({
  method: "GET",
  path: "/channel_folders",
  summary: "The channel folders, in their order.",
  params: { includeArchived: withDefault(boolean("include_archived"), false) },
  reply: Schema.Struct({ channel_folders: Folders }),
  errors: [],
  run: Effect.fnUntraced(function* (caller, { params: { includeArchived } }) {
    const { realm } = yield* requireAccount(caller)
    const shown = listFolders(realm).filter((folder) => includeArchived || !folder.is_archived)
    return dataReply({ channel_folders: shown.map(wireFolder) })
  }),
})

export const postChannelFolders = userEndpoint({
  method: "POST",
  path: "/channel_folders/create",
  fresh: "onRefusal",
  summary: "Makes a channel folder, the last in order.",
  params: { name: text("name"), description: withDefault(text("description", anyLength), "") },
  reply: Schema.Struct({ channel_folder_id: Id }),
  errors: ["UNAUTHORIZED_PRINCIPAL"],
  run: Effect.fnUntraced(function* (caller, { params }) {
    const { limits } = yield* Config
    const named = yield* Effect.fromResult(readName(params.name, limits))
    const description = yield* Effect.fromResult(readChannelDescription(params.description, limits))
    const { folder } = yield* submit(caller, (realm, actor) =>
      Result.map(requireFreeName(realm, named, null), (name) => {
        const folder: FolderRecord = {
          id: realm.part(folders).nextId(),
          name,
          ...describe(realm, description),
          order: realm.part(folders).size,
          creator_id: actor.id,
          created_at: realm.now(),
          is_archived: false,
        }
        return { op: "add" as const, folder }
      }),
    )
    return dataReply({ channel_folder_id: folder.id })
  }),
})

export const patchChannelFolders = userEndpoint({
  method: "PATCH",
  path: "/channel_folders",
  fresh: "onRefusal",
  summary: "Changes the order of the channel folders.",
  params: { order: json("order", list(idShape(FolderId))) },
  reply: noFields,
  errors: ["UNAUTHORIZED_PRINCIPAL"],
  run: Effect.fnUntraced(function* (caller, { params: { order } }) {
    yield* submit(caller, (realm) => {
      const folders = listFolders(realm)
      const named = new Set(order)
      if (order.length !== folders.length || folders.some(({ id }) => !named.has(id)))
        return Result.fail(badRequest("order must name every channel folder, and each of them once"))
      return Result.succeed(folders.every(({ id }, n) => id === order[n]) ? null : { op: "reorder", order })
    })
    return dataReply()
  }),
})

interface FolderUpdate {
  readonly name: string | undefined
  readonly description: string | undefined
  readonly isArchived: boolean | undefined
}

/** The changed fields of a folder. A folder with channels in it, even archived ones, cannot be archived. */
const changesOf = (
  realm: Realm,
  folder: FolderRecord,
  { name, description, isArchived }: FolderUpdate,
): Checked<FolderChange> =>
  Result.gen(function* () {
    const isRenamed = name !== undefined && name !== folder.name
    const isTurned = isArchived !== undefined && isArchived !== folder.is_archived
    if (isTurned && isArchived && [...realm.channels.values()].some((channel) => channel.folder_id === folder.id))
      return yield* Result.fail(badRequest("You need to remove all the channels from this folder to archive it."))
    return {
      ...(isRenamed ? { name: yield* requireFreeName(realm, name, folder.id) } : {}),
      ...(description !== undefined && description !== folder.description ? describe(realm, description) : {}),
      ...(isTurned ? { is_archived: isArchived } : {}),
    }
  })

export const patchChannelFolder = userEndpoint({
  method: "PATCH",
  path: "/channel_folders/{channel_folder_id:int}",
  fresh: "onRefusal",
  summary: "Renames, describes, archives or restores a channel folder.",
  params: {
    folderId: id("channel_folder_id", FolderId),
    name: optional(text("name")),
    description: optional(text("description", anyLength)),
    isArchived: optional(boolean("is_archived")),
  },
  reply: noFields,
  errors: ["UNAUTHORIZED_PRINCIPAL"],
  run: Effect.fnUntraced(function* (caller, { params: { folderId, name, description, isArchived } }) {
    const { limits } = yield* Config
    const wish: FolderUpdate = {
      name: name === undefined ? undefined : yield* Effect.fromResult(readName(name, limits)),
      description:
        description === undefined ? undefined : yield* Effect.fromResult(readChannelDescription(description, limits)),
      isArchived,
    }
    yield* submit(caller, (realm) => {
      const folder = realm.part(folders).get(folderId)
      if (folder === undefined) return Result.fail(badRequest("Invalid channel folder ID"))
      return Result.map(changesOf(realm, folder, wish), (set) =>
        Object.keys(set).length === 0 ? null : { op: "update", folder_id: folderId, set },
      )
    })
    return dataReply()
  }),
})
