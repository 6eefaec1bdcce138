/** GET /bots, DELETE /bots/{bot_id} and the keys of bots, for whoever may change the bot. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { dataReply, noFields, userEndpoint } from "../../../api/endpoint.ts"
import { badRequest } from "../../../api/errors.ts"
import { id } from "../../../api/params.ts"
import { Config } from "../../../config/config.ts"
import { change, done, type Judgement, judgementOf, refused } from "../../../events/command.ts"
import { UserId } from "../../../ids.ts"
import { isLastOwner } from "../../ground/permissions/permissions.ts"
import { requireAccount } from "../../ground/requester/requester.ts"
import { submitAs } from "../../ground/requester/submit.ts"
import { newKeyRow } from "../../ground/sign-in/api-key.ts"
import { apiKey } from "../../ground/sign-in/sign-in.ts"
import { Address, ApiKey } from "../../ground/wire/wire-values.ts"
import { accountDeactivationSteps } from "../accounts/deactivate-account.ts"
import { botsOf } from "../users/deactivation-steps.ts"
import { botKeys, wireBot } from "./bot-section.ts"
import { requireBot } from "./find-bot.ts"

const bot = id("bot_id", UserId)

export const getBots = userEndpoint({
  method: "GET",
  path: "/bots",
  summary: "The requester's own active bots, with their keys.",
  params: {},
  /** `username`: the address, under its older name. */
  reply: Schema.Struct({ bots: Schema.Array(Schema.Struct({ ...botKeys, username: Address })) }),
  errors: [],
  run: Effect.fnUntraced(function* (caller) {
    const { secret } = yield* Config
    const { realm, user } = yield* requireAccount(caller)
    return dataReply({
      bots: botsOf(realm, user).map((each) => ({ username: each.email, ...wireBot(realm, each, secret) })),
    })
  }),
})

export const deleteBot = userEndpoint({
  method: "DELETE",
  path: "/bots/{bot_id:int}",
  fresh: "onRefusal",
  summary: "Deactivates a bot.",
  params: { bot },
  reply: noFields,
  errors: [],
  run: Effect.fnUntraced(function* (caller, { params: { bot: target } }) {
    yield* submitAs(caller, (realm, actor) =>
      judgementOf(requireBot(realm, actor, target), (known): Judgement<void> => {
        if (!realm.isActive(known.id)) return done(undefined)
        if (isLastOwner(realm, known)) return refused(badRequest("The only organization owner cannot be deactivated."))
        return change(accountDeactivationSteps(realm, known))
      }),
    )
    return dataReply()
  }),
})

const keyReply = Schema.Struct({ api_key: ApiKey })

export const getBotKey = userEndpoint({
  method: "GET",
  path: "/bots/{bot_id:int}/api_key",
  summary: "The API key of a bot.",
  params: { bot },
  reply: keyReply,
  errors: [],
  run: Effect.fnUntraced(function* (caller, { params: { bot: target } }) {
    const { secret } = yield* Config
    const { realm, user } = yield* requireAccount(caller)
    const known = yield* Effect.fromResult(requireBot(realm, user, target))
    return dataReply({ api_key: apiKey(secret, realm.id, known) })
  }),
})

export const regenerateBotKey = userEndpoint({
  method: "POST",
  path: "/bots/{bot_id:int}/api_key/regenerate",
  fresh: "onRefusal",
  summary: "Makes a new API key for a bot; the old one is no longer valid.",
  params: { bot },
  reply: keyReply,
  errors: [],
  run: Effect.fnUntraced(function* (caller, { params: { bot: target } }) {
    const { secret } = yield* Config
    const { realm } = yield* requireAccount(caller)
    const known = yield* submitAs(caller, (now, actor) =>
      judgementOf(requireBot(now, actor, target), (before) => {
        const key_version = before.key_version + 1
        return change([newKeyRow(before)], { answer: () => ({ ...before, key_version }) })
      }),
    )
    return dataReply({ api_key: apiKey(secret, realm.id, known) })
  }),
})
