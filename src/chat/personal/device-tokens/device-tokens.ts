/**
 * Tokens of devices: where a user's phones want their pushes. They are kept for the day on which
 * something is pushed; nothing is yet. No event tells of them, so their commands write no rows: they are commits all the
 * same, because none may come after the row that ends the account. That takes its tokens with it (users.sql), and so does a
 * new API key (api-key.sql): who had the old one may still hold a device.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { type Caller, dataReply, noFields, userEndpoint } from "../../../api/endpoint.ts"
import { badRequest, botRefused, type Checked } from "../../../api/errors.ts"
import { anyLength, check, mapped, text } from "../../../api/params.ts"
import { lengthFault } from "../../../api/shapes.ts"
import { call, done, readRefusal, refused } from "../../../events/command.ts"
import { submitAs } from "../../ground/requester/submit.ts"

/** Of a user, for both kinds of devices together. */
const most = 100
const longest = 4096

/** What neither form has is skipped, as decoders of base64 do: some clients write `<0a1b 2c3d>`, and documents `apple-tokenbb`. */
const foreign = /[^a-z0-9+/=]/gi
/** Bytes as hexadecimal digits, or as base64; clients send either. */
const bytes = /^(?:(?:[0-9a-f]{2})+|(?:[a-z0-9+/]{4})*(?:[a-z0-9+/]{2}==|[a-z0-9+/]{3}=)?)$/i

const token = check(text("token", anyLength), (value) =>
  lengthFault(value, { min: 1, max: longest }) === undefined ? undefined : "Empty or invalid length token",
)
const apnsToken = mapped(token, (given): Checked<string> => {
  const value = given.replace(foreign, "")
  return value !== "" && bytes.test(value) ? Result.succeed(value) : Result.fail(badRequest("Invalid APNS token"))
})
const appId = check(text("appid", { max: 255 }), (value) =>
  /^[.a-z0-9-]+$/i.test(value) ? undefined : "appid has invalid format",
)

interface DeviceKind {
  readonly kind: "apns" | "android"
  readonly token: string
}

/** Runs a function about one device of the requester. `refusals`: by the word with which it refuses. */
const submit = (caller: Caller, fn: string, args: object, refusals: Readonly<Record<string, string>>) =>
  submitAs(caller, (_realm, { id, is_bot }) => {
    if (is_bot) return refused(botRefused())
    return call(fn, { user_id: id, ...args }, false, (outcome) => {
      const refusal = readRefusal(outcome, refusals)
      return refusal === undefined ? done(undefined) : refused(badRequest(refusal))
    })
  })

/** A device that is registered already is registered anew. `app_id`: which app of the device it is; null: not known. */
const add = (caller: Caller, device: DeviceKind & { readonly app_id: string | null }) =>
  submit(
    caller,
    "add_device_tokens_v1",
    { ...device, most },
    {
      full: `You can register at most ${most} devices: remove one first.`,
    },
  )

const remove = (caller: Caller, device: DeviceKind) =>
  submit(caller, "remove_device_tokens_v1", device, { gone: "Token does not exist" })

const postApnsToken = userEndpoint({
  method: "POST",
  path: "/users/me/apns_device_token",
  fresh: "onRefusal",
  summary: "Registers an Apple device of the requester for pushes.",
  params: { token: apnsToken, appId },
  reply: noFields,
  errors: [],
  run: Effect.fnUntraced(function* (caller, { params: { token, appId: app_id } }) {
    yield* add(caller, { kind: "apns", token, app_id })
    return dataReply()
  }),
})

const deleteApnsToken = userEndpoint({
  method: "DELETE",
  path: "/users/me/apns_device_token",
  fresh: "onRefusal",
  summary: "Ends the registration of an Apple device of the requester.",
  params: { token: apnsToken },
  reply: noFields,
  errors: [],
  run: Effect.fnUntraced(function* (caller, { params: { token } }) {
    yield* remove(caller, { kind: "apns", token })
    return dataReply()
  }),
})

const postAndroidToken = userEndpoint({
  method: "POST",
  path: "/users/me/android_gcm_reg_id",
  fresh: "onRefusal",
  summary: "Registers an Android device of the requester for pushes.",
  params: { token },
  reply: noFields,
  errors: [],
  run: Effect.fnUntraced(function* (caller, { params: { token } }) {
    yield* add(caller, { kind: "android", token, app_id: null })
    return dataReply()
  }),
})

const deleteAndroidToken = userEndpoint({
  method: "DELETE",
  path: "/users/me/android_gcm_reg_id",
  fresh: "onRefusal",
  summary: "Ends the registration of an Android device of the requester.",
  params: { token },
  reply: noFields,
  errors: [],
  run: Effect.fnUntraced(function* (caller, { params: { token } }) {
    yield* remove(caller, { kind: "android", token })
    return dataReply()
  }),
})

export const deviceTokenEndpoints = [postApnsToken, deleteApnsToken, postAndroidToken, deleteAndroidToken]
