/** POST /bots: makes a bot, which its maker owns. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { type Caller, dataReply, userEndpoint } from "../../../api/endpoint.ts"
import { badRequest, type Checked } from "../../../api/errors.ts"
import { type Decoded, integer, mapped, text, withDefault } from "../../../api/params.ts"
import { Clock } from "../../../clock.ts"
import { Config } from "../../../config/config.ts"
import { change, judgementOf } from "../../../events/command.ts"
import {
  type BotType,
  botTypes,
  defaultKeys,
  newServiceToken,
  plainBot,
  wireDefaults,
} from "../../ground/bot-settings/bot-settings.ts"
import { avatarOf } from "../../ground/faces/face-urls.ts"
import { roles } from "../../ground/realm/domain-values.ts"
import { apiEmail } from "../../ground/realm/email-addresses.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import type { UserRecord } from "../../ground/realm/records.ts"
import { readEmail, readUserName } from "../../ground/requester/read-names.ts"
import { requireAccount } from "../../ground/requester/requester.ts"
import { submitAs } from "../../ground/requester/submit.ts"
import { apiKey } from "../../ground/sign-in/sign-in.ts"
import { AvatarUrl } from "../../ground/wire/wire-person.ts"
import { ApiKey, Id } from "../../ground/wire/wire-values.ts"
import { requireRoom } from "../users/bot-owner.ts"
import { isReservedAddress, planNewUser } from "../users/new-user.ts"
import { newServiceParams, noUrl, readSettings, settingParams } from "./bot-params.ts"
import { withBotPicture } from "./bot-picture.ts"
import { requireCallable } from "./callable.ts"
import { requireMaker } from "./find-bot.ts"

const embedded = 4
const isBotType = (value: number): value is BotType => Object.values(botTypes).some((type) => type === value)

const botType = mapped(withDefault(integer("bot_type"), botTypes.generic), (value) => {
  if (value === embedded) return Result.fail(badRequest("Embedded bots are not enabled."))
  return isBotType(value) ? Result.succeed(value) : Result.fail(badRequest("Invalid bot type"))
})

const params = {
  fullName: text("full_name"),
  shortName: text("short_name"),
  botType,
  ...settingParams,
  ...newServiceParams,
}
type NewBotParams = Decoded<typeof params>

/** Letters, digits and the signs that an address may have before its `@`. */
const localPart = /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]+$/

const readAddress = (realm: Realm, shortName: string): Checked<string> => {
  const name = shortName.trim()
  return localPart.test(name)
    ? Result.mapError(readEmail(`${name}-bot@${realm.host}`), () => badRequest("Bad name or username"))
    : Result.fail(badRequest("Bad name or username"))
}

const planBot = (
  realm: Realm,
  actor: UserRecord,
  wanted: NewBotParams,
  made: { readonly now: number; readonly token: string; readonly avatar: string | undefined },
) =>
  Result.gen(function* () {
    yield* requireMaker(realm, actor, wanted.botType)
    yield* requireRoom(realm, actor)
    const fullName = yield* readUserName(wanted.fullName)
    const email = yield* readAddress(realm, wanted.shortName)
    if (realm.findUserByEmail(email) !== undefined || isReservedAddress(realm, email))
      return yield* Result.fail(badRequest("Username already in use"))
    const bot = yield* readSettings(realm, actor, wanted.botType, plainBot, wanted, made.token)
    if (wanted.botType === botTypes.outgoingWebhook && bot.service === null) return yield* Result.fail(noUrl)
    const kind = { isBot: true, botType: wanted.botType, botOwnerId: actor.id, bot, passwordHash: null }
    const picture = made.avatar === undefined ? {} : { avatar: made.avatar }
    const planned = yield* planNewUser(realm, { email, fullName, role: roles.member, ...kind, ...picture }, made.now)
    return { ...planned, bot }
  })

const reply = Schema.Struct({ user_id: Id, api_key: ApiKey, avatar_url: AvatarUrl, ...defaultKeys })

const makeBot = (caller: Caller, wanted: NewBotParams, now: () => number, avatar: string | undefined) => {
  const token = newServiceToken()
  return submitAs(caller, (realm, actor) =>
    judgementOf(planBot(realm, actor, wanted, { now: now(), token, avatar }), ({ steps, record, bot }) =>
      change(steps, { answer: () => ({ record, bot }) }),
    ),
  )
}

export const postBots = userEndpoint({
  method: "POST",
  path: "/bots",
  fresh: "onRefusal",
  summary: "Makes a bot that the requester owns, with the address `{short_name}-bot` at the organization's host.",
  takesImage: "optional",
  params,
  reply,
  errors: [],
  run: Effect.fnUntraced(function* (caller, { params: wanted, files: sent }) {
    const { secret } = yield* Config
    const clock = yield* Clock
    const { realm, user } = yield* requireAccount(caller)
    // Before a picture is looked at, which takes a while, and again when the command is judged.
    yield* Effect.fromResult(requireMaker(realm, user, wanted.botType))
    yield* Effect.fromResult(requireRoom(realm, user))
    if (wanted.botType === botTypes.outgoingWebhook) yield* requireCallable(wanted.url)
    const { record, bot } = yield* withBotPicture(caller, sent, (avatar) => makeBot(caller, wanted, clock.now, avatar))
    return dataReply({
      user_id: record.id,
      api_key: apiKey(secret, realm.id, record),
      avatar_url: avatarOf(realm, { ...record, email: apiEmail(realm, record) }, false),
      ...wireDefaults(bot),
    })
  }),
})
