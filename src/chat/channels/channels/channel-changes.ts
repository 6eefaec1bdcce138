/**
 * Checks a request to change a channel and lists its changes, each of which clients read as one event. If any part is
 * refused, all of it is. Called by channel-update.ts when its command is judged.
 */
import * as Result from "effect/Result"
import { type ApiError, badRequest, type Checked } from "../../../api/errors.ts"
import type { ConfigShape, Limits } from "../../../config/config.ts"
import { nameTaken } from "../../ground/permissions/channel-access.ts"
import { requirePermissionUpdate } from "../../ground/permissions/permission-values.ts"
import { contentPermissions, kindOf, mayAdminister, mayReadContent } from "../../ground/permissions/permissions.ts"
import { emptyTopicDisplayName } from "../../ground/realm/domain-values.ts"
import { channelChoices } from "../../ground/realm/permission-choices.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import {
  type ChannelChange,
  type ChannelRecord,
  channelPermissions,
  type UserRecord,
} from "../../ground/realm/records.ts"
import { readChannelDescription, readChannelName } from "../../ground/requester/read-names.ts"
import type { ChannelUpdateParams } from "./channel-params.ts"
import {
  renderDescription,
  requireDefaults,
  requireFolder,
  requireKind,
  requireMaySet,
  requireOwnTopicsPolicy,
  requirePossible,
  requireRetention,
} from "./new-channel.ts"
import { nextTopicsPolicy } from "./topics-policy-machine.ts"

type ChannelChanges = ReadonlyArray<ChannelChange>
const noChanges: Checked<ChannelChanges> = Result.succeed([])

/** The change of one field; none if it is not requested or stays the same. */
const changed = <Name extends keyof ChannelChange & keyof ChannelRecord>(
  channel: ChannelRecord,
  name: Name,
  after: ChannelRecord[Name] | undefined,
): ChannelChanges => (after === undefined || after === channel[name] ? [] : [{ [name]: after }])

export interface ChannelUpdateRequest {
  readonly fields: ChannelUpdateParams
  /**
   * Whether all messages are in the empty topic, read from the database; false if the request does not need to know.
   */
  readonly allInEmptyTopic: boolean
  readonly config: Pick<ConfigShape, "webPublicChannels">
  readonly limits: Limits
}

/** Only users who can read a channel may change its privacy or the permissions that let others read it. */
const requireContent = (
  realm: Realm,
  actor: UserRecord,
  channel: ChannelRecord,
  { fields }: ChannelUpdateRequest,
): Checked<void> => {
  const asked = [
    fields.isPrivate,
    fields.isWebPublic,
    fields.historyShared,
    ...contentPermissions.map((name) => fields[name]),
  ]
  return asked.every((each) => each === undefined) || mayReadContent(realm, actor, channel)
    ? Result.succeed(undefined)
    : Result.fail(badRequest("Channel content access is required."))
}

const requireName = (
  realm: Realm,
  actor: UserRecord,
  channel: ChannelRecord,
  { fields, limits }: ChannelUpdateRequest,
): Checked<ChannelChanges> =>
  Result.gen(function* () {
    if (fields.name === undefined) return []
    const name = yield* readChannelName(fields.name, limits)
    if (name === channel.name) return yield* Result.fail(badRequest("Channel already has that name."))
    const known = realm.findChannelByName(name)
    return known === undefined || known.id === channel.id
      ? [{ name }]
      : yield* Result.fail(nameTaken(realm, actor, known, name))
  })

const requireDescription = (
  realm: Realm,
  channel: ChannelRecord,
  { fields, limits }: ChannelUpdateRequest,
): Checked<ChannelChanges> =>
  fields.description === undefined
    ? noChanges
    : Result.map(readChannelDescription(fields.description, limits), (description) =>
        description === channel.description
          ? []
          : [{ description, rendered_description: renderDescription(realm, description) }],
      )

/**
 * The privacy asked for. A request that states only `is_private` shares the history exactly if the channel is public.
 */
const privacyOf = (
  channel: ChannelRecord,
  { isPrivate, isWebPublic, historyShared, isDefault }: ChannelUpdateParams,
) => ({
  is_private: isPrivate ?? channel.is_private,
  is_web_public: isWebPublic ?? channel.is_web_public,
  history_shared: historyShared ?? (isPrivate === undefined ? channel.history_shared : !isPrivate),
  is_default: isDefault ?? channel.is_default,
})

const requirePrivacy = (
  realm: Realm,
  actor: UserRecord,
  channel: ChannelRecord,
  { fields, config }: ChannelUpdateRequest,
): Checked<ChannelChanges> =>
  Result.gen(function* () {
    const { is_default, ...privacy } = privacyOf(channel, fields)
    yield* requirePossible({ ...privacy, is_default })
    if (kindOf(privacy) !== kindOf(channel)) yield* requireKind(realm, actor, kindOf(privacy), config)
    if (!privacy.is_private && realm.settings.moderation_request_channel_id === channel.id)
      return yield* Result.fail(badRequest("Moderation request channel must be private."))
    const isSame =
      privacy.is_private === channel.is_private &&
      privacy.is_web_public === channel.is_web_public &&
      privacy.history_shared === channel.history_shared
    return isSame ? [] : [privacy]
  })

const requireTopicsPolicy = (
  realm: Realm,
  actor: UserRecord,
  channel: ChannelRecord,
  { fields, allInEmptyTopic }: ChannelUpdateRequest,
): Checked<ChannelChanges> =>
  Result.gen(function* () {
    const wanted = fields.topicsPolicy
    if (wanted === undefined) return []
    if (wanted !== "inherit") yield* requireOwnTopicsPolicy(realm, actor)
    const next = nextTopicsPolicy(channel.topics_policy, wanted, allInEmptyTopic)
    return next === wanted ? changed(channel, "topics_policy", next) : yield* Result.fail(namedTopics())
  })

/** The refusal of `empty_topic_only` while the channel has messages in other topics. */
export const namedTopics = (): ApiError =>
  badRequest(
    `To take the ${emptyTopicDisplayName} topic only, the channel must have all its messages in the ${emptyTopicDisplayName} topic.`,
  )

const requirePermissions = (
  realm: Realm,
  actor: UserRecord,
  channel: ChannelRecord,
  { fields }: ChannelUpdateRequest,
): Checked<ChannelChanges> =>
  Result.gen(function* () {
    const changes: Array<ChannelChange> = []
    for (const name of channelPermissions) {
      const update = fields[name]
      if (update === undefined) continue
      yield* requireMaySet(realm, actor, name)
      const value = yield* requirePermissionUpdate(realm, name, channelChoices[name], channel.permissions[name], update)
      if (value !== undefined) changes.push({ permissions: { [name]: value } })
    }
    return changes
  })

/** Whether the request unarchives the channel. */
const requireReturn = (channel: ChannelRecord, { isArchived }: ChannelUpdateParams): Checked<boolean> => {
  if (isArchived === undefined) return Result.succeed(false)
  if (isArchived) return Result.fail(badRequest("is_archived can only be false: DELETE archives a channel."))
  return channel.is_archived ? Result.succeed(true) : Result.fail(badRequest("Channel is not currently deactivated"))
}

const requireDefault = (
  actor: UserRecord,
  channel: ChannelRecord,
  { isDefault }: ChannelUpdateParams,
  isArchived: boolean,
) =>
  Result.gen(function* () {
    if (isDefault === undefined) return channel.is_default
    yield* requireDefaults(actor)
    return isDefault && isArchived
      ? yield* Result.fail(badRequest("Archived channels cannot be made default."))
      : isDefault
  })

export interface PlannedChannelUpdate {
  readonly returns: boolean
  readonly isDefault: boolean
  readonly changes: ChannelChanges
}

/** All changes of a request, in the order in which clients are told of them; or the first refusal. */
export const requireChanges = (
  realm: Realm,
  actor: UserRecord,
  channel: ChannelRecord,
  wish: ChannelUpdateRequest,
): Checked<PlannedChannelUpdate> =>
  Result.gen(function* () {
    const { fields } = wish
    if (!mayAdminister(realm, actor, channel))
      return yield* Result.fail(badRequest("You do not have permission to administer this channel."))
    yield* requireContent(realm, actor, channel, wish)
    const returns = yield* requireReturn(channel, fields)
    const isDefault = yield* requireDefault(actor, channel, fields, channel.is_archived && !returns)
    if (fields.retentionDays !== undefined) yield* requireRetention(actor)
    if (fields.folderId !== undefined && fields.folderId !== channel.folder_id)
      yield* requireFolder(realm, fields.folderId)
    return {
      returns,
      isDefault,
      changes: [
        ...(yield* requirePrivacy(realm, actor, channel, wish)),
        ...(yield* requireName(realm, actor, channel, wish)),
        ...(yield* requireDescription(realm, channel, wish)),
        ...changed(channel, "folder_id", fields.folderId),
        ...(yield* requireTopicsPolicy(realm, actor, channel, wish)),
        ...changed(channel, "retention_days", fields.retentionDays),
        ...(yield* requirePermissions(realm, actor, channel, wish)),
      ],
    }
  })
