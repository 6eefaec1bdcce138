/**
 * The organization's icon and its two logos: administrators upload and remove them. Each is a setting, whose value names its
 * file; the file is stored before the row of the setting is committed, and the one before it removed behind that.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { type Caller, dataReply, noFields, requesterName, userEndpoint } from "../../../api/endpoint.ts"
import type { Checked } from "../../../api/errors.ts"
import { boolean, withDefault } from "../../../api/params.ts"
import type { SentFile } from "../../../api/sent-request.ts"
import { Config } from "../../../config/config.ts"
import { done, judgementOf } from "../../../events/command.ts"
import { newToken, realmFile, removeReplaced } from "../../ground/faces/face-files.ts"
import { iconOf } from "../../ground/faces/face-urls.ts"
import { storeWithRow } from "../../ground/files/store-with-row.ts"
import { UploadedImages } from "../../ground/images/process/uploaded-images.ts"
import { requireOneImage } from "../../ground/images/require-one-image.ts"
import { mayChangeRealm, ranksTooLow } from "../../ground/permissions/permissions.ts"
import type { UserRecord } from "../../ground/realm/records.ts"
import { requireAccount } from "../../ground/requester/requester.ts"
import { submitAs } from "../../ground/requester/submit.ts"
import { PictureUrl } from "../../ground/wire/wire-values.ts"
import type { RealmPicture } from "../organization/realm-picture.ts"
import { judgePictureChange } from "./picture-change.ts"

const requireMayChange = (user: UserRecord): Checked<void> =>
  mayChangeRealm(user) ? Result.succeed(undefined) : Result.fail(ranksTooLow(user))

const changePicture = (caller: Caller, name: RealmPicture, token: string) =>
  submitAs(caller, (realm, actor) =>
    judgementOf(requireMayChange(actor), () =>
      realm.settings[name] === token ? done(undefined) : judgePictureChange(realm, name, token),
    ),
  )

/** `form`: how the picture is made of the upload. */
const upload = Effect.fnUntraced(function* (
  caller: Caller,
  name: RealmPicture,
  form: "icon" | "logo",
  sent: ReadonlyArray<SentFile>,
) {
  const { limits } = yield* Config
  // Before the image is looked at, which takes a while, and again when the command is judged.
  const { realm, user } = yield* requireAccount(caller)
  yield* Effect.fromResult(requireMayChange(user))
  const image = yield* Effect.fromResult(requireOneImage(sent, limits.imageFileBytes))
  const { files } = yield* (yield* UploadedImages).make(requesterName(caller), form, image)
  const token = newToken()
  const stored = files.map((bytes) => ({ name: realmFile(caller.realm, token), bytes }))
  yield* storeWithRow(stored, changePicture(caller, name, token))
  yield* removeReplaced
  return { realm, token }
})

const remove = (caller: Caller, name: RealmPicture) => Effect.andThen(changePicture(caller, name, ""), removeReplaced)

const iconReply = Schema.Struct({ icon_url: PictureUrl })

const postIcon = userEndpoint({
  method: "POST",
  path: "/realm/icon",
  fresh: "onRefusal",
  summary: "Gives the organization another icon.",
  takesImage: "required",
  params: {},
  reply: iconReply,
  errors: ["UNAUTHORIZED_PRINCIPAL"],
  run: Effect.fnUntraced(function* (caller, { files: sent }) {
    const { realm, token } = yield* upload(caller, "icon", "icon", sent)
    return dataReply({ icon_url: iconOf(realm, token).icon_url })
  }),
})

const deleteIcon = userEndpoint({
  method: "DELETE",
  path: "/realm/icon",
  fresh: "onRefusal",
  summary: "Takes the organization's icon away: it has a pattern again.",
  params: {},
  reply: iconReply,
  errors: ["UNAUTHORIZED_PRINCIPAL"],
  run: Effect.fnUntraced(function* (caller) {
    const { realm } = yield* requireAccount(caller)
    yield* remove(caller, "icon")
    return dataReply({ icon_url: iconOf(realm, "").icon_url })
  }),
})

/** Which of the two logos: that of dark themes where it is true. */
const night = withDefault(boolean("night"), false)
const logoOfNight = (isNight: boolean): RealmPicture => (isNight ? "night_logo" : "logo")

const postLogo = userEndpoint({
  method: "POST",
  path: "/realm/logo",
  fresh: "onRefusal",
  summary: "Gives the organization another logo, for light or for dark themes.",
  takesImage: "required",
  params: { night },
  reply: noFields,
  errors: ["UNAUTHORIZED_PRINCIPAL"],
  run: Effect.fnUntraced(function* (caller, { params, files: sent }) {
    yield* upload(caller, logoOfNight(params.night), "logo", sent)
    return dataReply()
  }),
})

const deleteLogo = userEndpoint({
  method: "DELETE",
  path: "/realm/logo",
  fresh: "onRefusal",
  summary: "Takes a logo of the organization away.",
  params: { night },
  reply: noFields,
  errors: ["UNAUTHORIZED_PRINCIPAL"],
  run: Effect.fnUntraced(function* (caller, { params }) {
    yield* remove(caller, logoOfNight(params.night))
    return dataReply()
  }),
})

export const realmPictureEndpoints = [postIcon, deleteIcon, postLogo, deleteLogo]
