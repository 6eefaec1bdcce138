/**
 * POST and DELETE /users/me/avatar: a picture of one's own, or none. It is stored before its row is committed; the files of
 * the one before are removed behind that.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { type Caller, dataReply, requesterName, userEndpoint } from "../../../api/endpoint.ts"
import { badRequest, type Checked } from "../../../api/errors.ts"
import { Config } from "../../../config/config.ts"
import { change, done, judgementOf } from "../../../events/command.ts"
import { faceFiles, newToken, removeReplaced } from "../../ground/faces/face-files.ts"
import { type AvatarOwner, pictureOf } from "../../ground/faces/face-urls.ts"
import { storeWithRow } from "../../ground/files/store-with-row.ts"
import { UploadedImages } from "../../ground/images/process/uploaded-images.ts"
import { requireOneImage } from "../../ground/images/require-one-image.ts"
import { isAdministrator } from "../../ground/permissions/permissions.ts"
import { apiEmail } from "../../ground/realm/email-addresses.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import type { UserRecord } from "../../ground/realm/records.ts"
import { requireAccount } from "../../ground/requester/requester.ts"
import { submitAs } from "../../ground/requester/submit.ts"
import { PictureUrl } from "../../ground/wire/wire-values.ts"
import { avatarSteps, withAvatar } from "./avatar-kind.ts"

const requireMayChange = (realm: Realm, user: UserRecord): Checked<void> =>
  realm.settings.avatar_changes_disabled && !isAdministrator(user)
    ? Result.fail(badRequest("Avatar changes are disabled in this organization."))
    : Result.succeed(undefined)

/** Answers how the user is shown then. Where they have no picture and want none nothing changes. */
const changeAvatar = (caller: Caller, token: string | null) =>
  submitAs(caller, (realm, actor) =>
    judgementOf(requireMayChange(realm, actor), () => {
      if (token === null && actor.avatar === null) return done<AvatarOwner>({ ...actor, email: apiEmail(realm, actor) })
      const shown = withAvatar(realm, actor, token)
      return change(avatarSteps(realm, actor, token), { answer: () => shown })
    }),
  )

const reply = Schema.Struct({ avatar_url: PictureUrl })

const postAvatar = userEndpoint({
  method: "POST",
  path: "/users/me/avatar",
  fresh: "onRefusal",
  summary: "Gives the requester another picture.",
  takesImage: "required",
  params: {},
  reply,
  errors: [],
  run: Effect.fnUntraced(function* (caller, { files: sent }) {
    const { limits } = yield* Config
    // Before the image is looked at, which takes a while, and again when the command is judged.
    const { realm, user } = yield* requireAccount(caller)
    yield* Effect.fromResult(requireMayChange(realm, user))
    const upload = yield* Effect.fromResult(requireOneImage(sent, limits.imageFileBytes))
    const made = yield* (yield* UploadedImages).make(requesterName(caller), "face", upload)
    const token = newToken()
    const files = faceFiles(caller.realm, token).flatMap((name, n) => {
      const bytes = made.files[n]
      return bytes === undefined ? [] : [{ name, bytes }]
    })
    const shown = yield* storeWithRow(files, changeAvatar(caller, token))
    yield* removeReplaced
    return dataReply({ avatar_url: pictureOf(realm, shown).avatar_url })
  }),
})

const deleteAvatar = userEndpoint({
  method: "DELETE",
  path: "/users/me/avatar",
  fresh: "onRefusal",
  summary: "Takes the requester's picture away: they are shown as before they had one.",
  params: {},
  reply,
  errors: [],
  run: Effect.fnUntraced(function* (caller) {
    const { realm } = yield* requireAccount(caller)
    const shown = yield* changeAvatar(caller, null)
    yield* removeReplaced
    return dataReply({ avatar_url: pictureOf(realm, shown).avatar_url })
  }),
})

export const avatarEndpoints = [postAvatar, deleteAvatar]
