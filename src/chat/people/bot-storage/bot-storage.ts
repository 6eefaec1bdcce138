/**
 * GET, PUT and DELETE /bot_storage: texts that a program keeps under keys for itself, as the Python library for bots does. They
 * belong to the account that asks. No event tells of them; changes are commits all the same, so that none comes after the row
 * that ends the account.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { dataReply, noFields, requesterKind, requesterName, userEndpoint } from "../../../api/endpoint.ts"
import { badRequest } from "../../../api/errors.ts"
import { json, optional } from "../../../api/params.ts"
import { bounded, list } from "../../../api/shapes.ts"
import { UserReads } from "../../../db/reads.ts"
import { call, done, readRefusal, refused } from "../../../events/command.ts"
import { textMap } from "../../ground/bot-settings/text-map.ts"
import { requireAccount } from "../../ground/requester/requester.ts"
import { submitAs } from "../../ground/requester/submit.ts"
import { findValues } from "./bot-storage-store.ts"

/** Characters of all keys and values of an account: more would be an answer that holds up others. */
const most = 400_000
/** Keys of an account, for the same reason: short ones without a text would be a hundred thousand. */
const mostStored = 5000
/** Keys of one request. */
const mostKeys = 1000
const longestKey = 500
/** Of the text of a request's JSON, in which a character may be six. */
const longestJson = 600_000

const keys = optional(json("keys", list(bounded({ max: longestKey }), mostKeys)))
const storage = json("storage", textMap({ mostKeys, longestKey, longestValue: most }), { max: longestJson })

const noKey = badRequest("Key does not exist.")
const full = badRequest(
  `The storage of an account holds at most ${most} characters, its keys included, under at most ${mostStored} keys.`,
)

const submit =
  (fn: string, args: object) =>
  (_realm: unknown, { id }: { readonly id: number }) =>
    call(fn, { user_id: id, ...args }, false, (outcome) => {
      const refusal = readRefusal(outcome, { full, gone: noKey })
      return refusal === undefined ? done(undefined) : refused(refusal)
    })

export const getBotStorage = userEndpoint({
  method: "GET",
  path: "/bot_storage",
  summary: "What the requester has stored, all of it or under some keys.",
  params: { keys },
  reply: Schema.Struct({ storage: Schema.Record(Schema.String, Schema.String) }),
  errors: [],
  run: Effect.fnUntraced(function* (caller, { params: { keys: wanted } }) {
    yield* requireAccount(caller)
    const reads = (yield* UserReads).begin(requesterName(caller), requesterKind(caller))
    const found = yield* findValues(reads, caller, wanted)
    return found === null ? yield* noKey : dataReply({ storage: found })
  }),
})

export const putBotStorage = userEndpoint({
  method: "PUT",
  path: "/bot_storage",
  fresh: "onRefusal",
  summary: "Stores texts under keys for the requester, all or none. Other keys stay.",
  params: { storage },
  reply: noFields,
  errors: [],
  run: Effect.fnUntraced(function* (caller, { params: { storage: values } }) {
    yield* submitAs(caller, submit("put_bot_values_v1", { values, most, most_keys: mostStored }))
    return dataReply()
  }),
})

export const deleteBotStorage = userEndpoint({
  method: "DELETE",
  path: "/bot_storage",
  fresh: "onRefusal",
  summary: "Forgets what the requester has stored, all of it or under some keys.",
  params: { keys },
  reply: noFields,
  errors: [],
  run: Effect.fnUntraced(function* (caller, { params: { keys: wanted } }) {
    yield* submitAs(caller, submit("remove_bot_values_v1", { keys: wanted ?? null }))
    return dataReply()
  }),
})
