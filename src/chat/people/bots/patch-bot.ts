/** PATCH /bots/{bot_id}: what is passed of a bot changes, all in one commit. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { type Caller, dataReply, userEndpoint } from "../../../api/endpoint.ts"
import { badRequest, type Checked, principalUnauthorized } from "../../../api/errors.ts"
import { type Decoded, id, optional, text } from "../../../api/params.ts"
import { change, done, type Judgement, judgementOf } from "../../../events/command.ts"
import type { CommandStep } from "../../../events/step.ts"
import { UserId } from "../../../ids.ts"
import { changedBotRow } from "../../ground/bot-settings/bot-rows.ts"
import {
  type BotSettings,
  botSettings,
  botTypes,
  defaultKeys,
  newServiceToken,
  wireDefaults,
} from "../../ground/bot-settings/bot-settings.ts"
import { removeReplaced } from "../../ground/faces/face-files.ts"
import { avatarOf } from "../../ground/faces/face-urls.ts"
import { isAdministrator } from "../../ground/permissions/permissions.ts"
import { findUser } from "../../ground/realm/acquaintance/find-user.ts"
import { apiEmail } from "../../ground/realm/email-addresses.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import type { UserRecord } from "../../ground/realm/records.ts"
import { requireAccount } from "../../ground/requester/requester.ts"
import { submitAs } from "../../ground/requester/submit.ts"
import { AvatarUrl } from "../../ground/wire/wire-person.ts"
import { Address } from "../../ground/wire/wire-values.ts"
import { avatarSteps } from "../avatars/avatar-kind.ts"
import { planName } from "../profile-data/full-names.ts"
import { giveBot, requireRoom } from "../users/bot-owner.ts"
import { role } from "../users/patch-user.ts"
import { planRole } from "../users/roles/roles.ts"
import { readSettings, serviceParams, settingParams } from "./bot-params.ts"
import { withBotPicture } from "./bot-picture.ts"
import { requireCallable } from "./callable.ts"
import { requireBot } from "./find-bot.ts"

const params = {
  fullName: optional(text("full_name")),
  role: optional(role),
  owner: optional(id("bot_owner_id", UserId)),
  ...settingParams,
  ...serviceParams,
}
type BotUpdateParams = Decoded<typeof params>

const noOwner = (why: string) => Result.fail(badRequest(`Failed to change owner, ${why}`))

const requireOwner = (realm: Realm, actor: UserRecord, owner: UserId): Checked<UserRecord> => {
  const user = findUser(realm, actor, owner)
  if (user === undefined) return noOwner("no such user")
  if (!realm.isActive(user.id)) return noOwner("user is deactivated")
  return user.is_bot ? noOwner("bots can't own other bots") : Result.succeed(user)
}

const isSame = (a: BotSettings, b: BotSettings): boolean => JSON.stringify(a) === JSON.stringify(b)

const plan = (
  realm: Realm,
  actor: UserRecord,
  bot: UserRecord,
  wanted: BotUpdateParams,
  made: { readonly token: string; readonly avatar: string | undefined },
): Checked<ReadonlyArray<CommandStep>> =>
  Result.gen(function* () {
    const before = realm.part(botSettings).of(bot.id)
    const names = wanted.fullName === undefined ? [] : yield* planName(realm, bot, wanted.fullName)
    if (wanted.role !== undefined && !isAdministrator(actor))
      return yield* Result.fail(principalUnauthorized("Must be an organization administrator"))
    const owner = wanted.owner === undefined ? undefined : yield* requireOwner(realm, actor, wanted.owner)
    const roleSteps = wanted.role === undefined ? [] : yield* planRole(realm, actor, bot, wanted.role, owner)
    const settings = yield* readSettings(realm, actor, bot.bot_type, before, wanted, made.token)
    const isGiven = owner !== undefined && owner.id !== bot.bot_owner_id
    if (isGiven && realm.isActive(bot.id)) yield* requireRoom(realm, owner)
    return [
      ...(made.avatar === undefined ? [] : avatarSteps(realm, bot, made.avatar)),
      ...roleSteps,
      ...names,
      ...(isGiven || isSame(settings, before) ? [] : [changedBotRow(realm, bot, settings)]),
      ...(isGiven ? giveBot(realm, { ...bot, role: wanted.role ?? bot.role }, owner, settings, made.token) : []),
    ]
  })

const patch = (caller: Caller, bot: UserId, wanted: BotUpdateParams, avatar: string | undefined) => {
  const token = newServiceToken()
  return submitAs(caller, (realm, actor) =>
    judgementOf(requireBot(realm, actor, bot), (known) =>
      judgementOf(
        plan(realm, actor, known, wanted, { token, avatar }),
        (steps): Judgement<void> => (steps.length === 0 ? done(undefined) : change(steps)),
      ),
    ),
  )
}

const reply = Schema.Struct({
  full_name: Schema.NonEmptyString,
  avatar_url: AvatarUrl,
  /** The next two are null for bots that are no outgoing webhooks. */
  service_interface: Schema.NullOr(Schema.Literals([1, 2])),
  service_payload_url: Schema.NullOr(Schema.NonEmptyString),
  config_data: Schema.Record(Schema.String, Schema.String),
  ...defaultKeys,
  /** The owner's address, as others name them; absent where there is no owner. */
  bot_owner: Schema.optionalKey(Address),
})

export const patchBot = userEndpoint({
  method: "PATCH",
  path: "/bots/{bot_id:int}",
  fresh: "onRefusal",
  summary: "Changes a bot: name, role, owner, picture, defaults, and the address that an outgoing webhook calls.",
  takesImage: "optional",
  params: { bot: id("bot_id", UserId), ...params },
  reply,
  errors: ["UNAUTHORIZED_PRINCIPAL"],
  run: Effect.fnUntraced(function* (caller, { params: { bot: target, ...wanted }, files: sent }) {
    const { realm, user } = yield* requireAccount(caller)
    // Before a picture is looked at, which takes a while, and again when the command is judged.
    const known = yield* Effect.fromResult(requireBot(realm, user, target))
    // Clients send all settings of a bot to change one: an address that it has is not asked about again.
    const isNew = wanted.url !== realm.part(botSettings).of(target).service?.base_url
    if (isNew && known.bot_type === botTypes.outgoingWebhook) yield* requireCallable(wanted.url)
    yield* withBotPicture(caller, sent, (avatar) => patch(caller, target, wanted, avatar))
    yield* removeReplaced
    const bot = realm.users.get(target)
    if (bot === undefined) return yield* badRequest("No such bot")
    const owner = bot.bot_owner_id === null ? undefined : realm.users.get(bot.bot_owner_id)
    const settings = realm.part(botSettings).of(bot.id)
    return dataReply({
      full_name: bot.full_name,
      avatar_url: avatarOf(realm, { ...bot, email: apiEmail(realm, bot) }, false),
      service_interface: settings.service?.interface ?? null,
      service_payload_url: settings.service?.base_url ?? null,
      config_data: settings.config,
      ...wireDefaults(settings),
      ...(owner === undefined ? {} : { bot_owner: apiEmail(realm, owner) }),
    })
  }),
})
