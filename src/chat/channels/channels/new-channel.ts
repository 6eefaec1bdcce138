/**
 * Checks a request for a new channel and makes the channel's record. Called by both endpoints that make channels; they
 * check the name themselves. The checks are used for changes of a channel, too (channel-changes.ts).
 */
import * as Result from "effect/Result"
import { badRequest, type Checked, principalUnauthorized } from "../../../api/errors.ts"
import type { ConfigShape } from "../../../config/config.ts"
import type { ChannelId, FolderId, UserId } from "../../../ids.ts"
import { isSameSetting, requirePermissionValue } from "../../ground/permissions/permission-values.ts"
import {
  type ChannelKind,
  holdsRealm,
  kindOf,
  mayCreateChannel,
  mayManageDefaults,
  maySetRetention,
} from "../../ground/permissions/permissions.ts"
import { channelChoices, defaultSetting } from "../../ground/realm/permission-choices.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import {
  type ChannelPermission,
  type ChannelRecord,
  channelPermissions,
  type UserRecord,
} from "../../ground/realm/records.ts"
import { publicAnd } from "../../text/markdown/find-names.ts"
import { renderText } from "../../text/markdown/render-text.ts"
import { folders } from "../channel-folders/folder-list.ts"
import { type NewChannelParams, perPermission } from "./channel-params.ts"

export interface NewChannel {
  readonly name: string
  readonly description: string
  readonly isPrivate: boolean
  readonly isWebPublic: boolean
  readonly historyShared: boolean
  readonly isDefault: boolean
}

/** Links public channels only: whoever sees the channel reads it, also those who see fewer channels than its author. */
export const renderDescription = (realm: Realm, description: string): string =>
  description === "" ? "" : renderText(realm, publicAnd(), description)

/**
 * The record of a new channel, with the default permissions where none are given; its description is still to be
 * rendered. `creator`: null for the server itself.
 */
export const newChannel = (id: ChannelId, channel: NewChannel, creator: UserId | null, now: number): ChannelRecord => ({
  id,
  name: channel.name,
  description: channel.description,
  rendered_description: "",
  creator_id: creator,
  created_at: now,
  is_private: channel.isPrivate,
  is_web_public: channel.isWebPublic,
  history_shared: channel.historyShared,
  is_archived: false,
  is_default: channel.isDefault,
  topics_policy: "inherit",
  retention_days: null,
  permissions: perPermission((name) => defaultSetting(channelChoices[name], creator)),
  folder_id: null,
  is_recently_active: true,
  weekly_traffic: null,
  first_message_id: null,
})

const allowed: Checked<void> = Result.succeed(undefined)
const insufficient = () => Result.fail(badRequest("Insufficient permission"))

/** Refuses a user who may not make channels of this kind, or turn one into it. */
export const requireKind = (
  realm: Realm,
  actor: UserRecord,
  kind: ChannelKind,
  { webPublicChannels }: Pick<ConfigShape, "webPublicChannels">,
): Checked<void> => {
  if (kind === "web-public" && !(webPublicChannels && realm.settings.enable_spectator_access))
    return Result.fail(badRequest("Web-public channels are not enabled."))
  return mayCreateChannel(realm, actor, kind) ? allowed : insufficient()
}

/** Refuses impossible combinations: private and web-public, private and default, public without a shared history. */
export const requirePossible = (
  channel: Pick<ChannelRecord, "is_private" | "is_web_public" | "history_shared" | "is_default">,
): Checked<void> => {
  const { is_private, is_web_public, history_shared, is_default } = channel
  if (is_private ? is_web_public : !history_shared) return Result.fail(badRequest("Invalid parameters"))
  return is_private && is_default ? Result.fail(badRequest("A default channel cannot be private.")) : allowed
}

export const requireDefaults = (actor: UserRecord): Checked<void> =>
  mayManageDefaults(actor) ? allowed : Result.fail(badRequest("You do not have permission to change default channels."))

/** How long messages are kept only owners decide. */
export const requireRetention = (actor: UserRecord): Checked<void> =>
  maySetRetention(actor) ? allowed : Result.fail(principalUnauthorized("Must be an organization owner"))

/** Refuses an unknown or archived folder; null: no folder. */
export const requireFolder = (realm: Realm, id: FolderId | null): Checked<void> =>
  id === null || realm.part(folders).get(id)?.is_archived === false
    ? allowed
    : Result.fail(badRequest("Invalid channel folder ID"))

/** Refuses a user who may not give a channel another topics policy than the organization's. */
export const requireOwnTopicsPolicy = (realm: Realm, actor: UserRecord): Checked<void> =>
  holdsRealm(realm, actor, "can_set_topics_policy_group") ? allowed : insufficient()

const ofDeletion: ReadonlySet<ChannelPermission> = new Set([
  "can_delete_any_message_group",
  "can_delete_own_message_group",
])
/** Refuses a user who may not set this permission: the realm restricts who may set those about deleting messages. */
export const requireMaySet = (realm: Realm, actor: UserRecord, name: ChannelPermission): Checked<void> =>
  !ofDeletion.has(name) || holdsRealm(realm, actor, "can_set_delete_message_policy_group") ? allowed : insufficient()

const requirePermissions = (
  realm: Realm,
  actor: UserRecord,
  wish: Pick<NewChannelParams, ChannelPermission>,
  defaults: ChannelRecord["permissions"],
): Checked<ChannelRecord["permissions"]> =>
  Result.gen(function* () {
    let permissions = defaults
    for (const name of channelPermissions) {
      const wished = wish[name]
      if (wished === undefined) continue
      const value = yield* requirePermissionValue(realm, name, channelChoices[name], wished)
      if (!isSameSetting(value, defaults[name])) yield* requireMaySet(realm, actor, name)
      permissions = { ...permissions, [name]: value }
    }
    return permissions
  })

/** The record of the requested channel, or the first refusal. Name and description must be cleaned already. */
export const requireNewChannel = (
  realm: Realm,
  actor: UserRecord,
  identity: {
    readonly id: ChannelId
    readonly name: string
    readonly description: string
    readonly rendered: string
  },
  wish: NewChannelParams,
  config: Pick<ConfigShape, "webPublicChannels">,
): Checked<ChannelRecord> =>
  Result.gen(function* () {
    const fields: NewChannel = {
      ...identity,
      isPrivate: wish.inviteOnly,
      isWebPublic: wish.isWebPublic,
      historyShared: wish.historyShared ?? !wish.inviteOnly,
      isDefault: wish.isDefault,
    }
    const channel: ChannelRecord = {
      ...newChannel(identity.id, fields, actor.id, realm.now()),
      rendered_description: identity.rendered,
      topics_policy: wish.topicsPolicy,
      retention_days: wish.retentionDays,
      folder_id: wish.folderId,
    }
    yield* requirePossible(channel)
    yield* requireKind(realm, actor, kindOf(channel), config)
    if (channel.is_default) yield* requireDefaults(actor)
    if (channel.retention_days !== null) yield* requireRetention(actor)
    if (channel.topics_policy !== "inherit") yield* requireOwnTopicsPolicy(realm, actor)
    yield* requireFolder(realm, channel.folder_id)
    return { ...channel, permissions: yield* requirePermissions(realm, actor, wish, channel.permissions) }
  })
