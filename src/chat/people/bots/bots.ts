/** GET /bots, DELETE /bots/{bot_id} and the keys of bots, for whoever may change the bot. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { data, nothing, userEndpoint } from "../../../api/endpoint.ts"
import { badRequest } from "../../../api/errors.ts"
import { id } from "../../../api/params.ts"
import { Config } from "../../../config/config.ts"
import { change, done, type Judgement, judged, refused } from "../../../events/command.ts"
import { UserId } from "../../../ids.ts"
import { isLastOwner } from "../../ground/permissions/permissions.ts"
import { requireAccount } from "../../ground/requester/requester.ts"
import { submitAs } from "../../ground/requester/submit.ts"
import { newKeyRow } from "../../ground/sign-in/api-key.ts"
import { apiKey } from "../../ground/sign-in/sign-in.ts"
import { Address, ApiKey } from "../../ground/wire/wire-values.ts"
import { leavingSteps } from "../accounts/leave.ts"
import { botsOf } from "../users/leaving.ts"
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
    return data({
      bots: botsOf(realm, user).map((each) => ({ username: each.email, ...wireBot(realm, each, secret) })),
    })
  }),
})

export const deleteBot = userEndpoint({
  method: "DELETE",
  path: "/bots/{bot_id:int}",
  summary: "Deactivates a bot.",
  params: { bot },
  reply: nothing,
  errors: [],
  run: Effect.fnUntraced(function* (caller, { bot: target }) {
    yield* submitAs(caller, (realm, actor) =>
      judged(requireBot(realm, actor, target), (known): Judgement<void> => {
        if (!realm.isActive(known.id)) return done(undefined)
        if (isLastOwner(realm, known)) return refused(badRequest("The only organization owner cannot be deactivated."))
        return change(leavingSteps(realm, known))
      }),
    )
    return data()
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
  run: Effect.fnUntraced(function* (caller, { bot: target }) {
    const { secret } = yield* Config
    const { realm, user } = yield* requireAccount(caller)
    const known = yield* Effect.fromResult(requireBot(realm, user, target))
    return data({ api_key: apiKey(secret, realm.id, known) })
  }),
})

export const regenerateBotKey = userEndpoint({
  method: "POST",
  path: "/bots/{bot_id:int}/api_key/regenerate",
  summary: "Makes a new API key for a bot; the old one is no longer valid.",
  params: { bot },
  reply: keyReply,
  errors: [],
  run: Effect.fnUntraced(function* (caller, { bot: target }) {
    const { secret } = yield* Config
    const { realm } = yield* requireAccount(caller)
    const known = yield* submitAs(caller, (now, actor) =>
      judged(requireBot(now, actor, target), (before) => {
        const key_version = before.key_version + 1
        return change([newKeyRow(before)], { answer: () => ({ ...before, key_version }) })
      }),
    )
    return data({ api_key: apiKey(secret, realm.id, known) })
  }),
})
