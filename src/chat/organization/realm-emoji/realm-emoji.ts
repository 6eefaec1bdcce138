/**
 * Custom emoji: pictures with a name of the organization's own. Those who may add some do so by an upload; their author
 * and administrators take them out of use. One that is out of use stays, for the reactions and messages that have it,
 * and gives its name free.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { dataReply, noFields, requesterName, userEndpoint } from "../../../api/endpoint.ts"
import { badRequest, type Checked, notThere } from "../../../api/errors.ts"
import { mapped, text } from "../../../api/params.ts"
import { Config } from "../../../config/config.ts"
import { change, judgementOf } from "../../../events/command.ts"
import { newToken } from "../../ground/faces/face-files.ts"
import { storeWithRow } from "../../ground/files/store-with-row.ts"
import { UploadedImages } from "../../ground/images/process/uploaded-images.ts"
import { requireOneImage } from "../../ground/images/require-one-image.ts"
import { holdsRealm, isAdministrator } from "../../ground/permissions/permissions.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import type { UserRecord } from "../../ground/realm/records.ts"
import { requireAccount } from "../../ground/requester/requester.ts"
import { submitAs } from "../../ground/requester/submit.ts"
import { customEmojiPart, type EmojiRecord } from "../../text/emoji/custom-emoji.ts"
import { findEmojiByName } from "../../text/emoji/unicode-emoji.ts"
import { emojiFile } from "./emoji-pictures.ts"
import { EmojiMap, emojiRow, wireEmojiAt } from "./realm-emoji-event.ts"

/** Those out of use included: every register, and every event about one, has them all. */
const mostEmoji = 2000

const longestName = 100

const name = mapped(text("emoji_name", { max: longestName }), (raw) => Result.succeed(raw.trim().replaceAll(" ", "_")))

const requireName = (name: string): Checked<string> => {
  if (name === "") return Result.fail(badRequest("Emoji name is missing"))
  return /^[0-9a-z_-]*[0-9a-z]$/.test(name)
    ? Result.succeed(name)
    : Result.fail(
        badRequest(
          "Emoji names have lowercase letters, digits, dashes and underscores only, and end with a letter or a digit.",
        ),
      )
}

/** An emoji that everybody has already: a custom one of its name takes its place. */
const isBuiltIn = (name: string): boolean => name === "zulip" || findEmojiByName(name) !== undefined

/** Whether the user may make an emoji of this name now. */
const requireMayAdd = (realm: Realm, user: UserRecord, name: string): Checked<void> => {
  if (!holdsRealm(realm, user, "can_add_custom_emoji_group")) return Result.fail(badRequest("Insufficient permission"))
  if (realm.part(customEmojiPart).findByName(name) !== undefined)
    return Result.fail(badRequest("A custom emoji with this name already exists."))
  if (isBuiltIn(name) && !isAdministrator(user))
    return Result.fail(badRequest("Only administrators can override default emoji."))
  if (realm.part(customEmojiPart).size >= mostEmoji)
    return Result.fail(badRequest(`An organization has ${mostEmoji} custom emoji at most, with those out of use.`))
  return Result.succeed(undefined)
}

const getEmoji = userEndpoint({
  method: "GET",
  path: "/realm/emoji",
  summary: "The organization's custom emoji, those out of use included.",
  params: {},
  reply: Schema.Struct({ emoji: EmojiMap }),
  errors: [],
  run: Effect.fnUntraced(function* (caller) {
    const { realm } = yield* requireAccount(caller)
    return dataReply({ emoji: wireEmojiAt(realm.id, realm.part(customEmojiPart), realm.position) })
  }),
})

const postEmoji = userEndpoint({
  method: "POST",
  path: "/realm/emoji/{emoji_name}",
  fresh: "onRefusal",
  summary: "Adds a custom emoji.",
  takesImage: "required",
  params: { name },
  reply: noFields,
  errors: [],
  run: Effect.fnUntraced(function* (caller, { params: { name: raw }, files: sent }) {
    const { limits } = yield* Config
    const name = yield* Effect.fromResult(requireName(raw))
    // Before the image is looked at, which takes a while, and again when the command is judged.
    const { realm, user } = yield* requireAccount(caller)
    yield* Effect.fromResult(requireMayAdd(realm, user, name))
    const upload = yield* Effect.fromResult(requireOneImage(sent, limits.imageFileBytes))
    const { ending, files } = yield* (yield* UploadedImages).make(requesterName(caller), "emoji", upload)
    const token = newToken()
    const [file, second] = [`${token}.${ending}`, `${token}-still.png`]
    const still = files.length > 1 ? second : null
    const pictures = files.map((bytes, n) => ({ name: emojiFile(caller.realm, n === 0 ? file : second), bytes }))
    const add = submitAs(caller, (now, actor) =>
      judgementOf(requireMayAdd(now, actor, name), () => {
        const emoji = { id: now.part(customEmojiPart).nextId(), name, file, still, author_id: actor.id }
        return change([emojiRow({ op: "add", emoji })])
      }),
    )
    yield* storeWithRow(pictures, add)
    return dataReply()
  }),
})

const mayDeactivate = (realm: Realm, user: UserRecord, emoji: EmojiRecord): boolean =>
  isAdministrator(user) || (emoji.author_id === user.id && holdsRealm(realm, user, "can_add_custom_emoji_group"))

const deleteEmoji = userEndpoint({
  method: "DELETE",
  path: "/realm/emoji/{emoji_name}",
  fresh: "onRefusal",
  summary: "Takes a custom emoji out of use.",
  params: { name },
  reply: noFields,
  errors: [],
  run: Effect.fnUntraced(function* (caller, { params: { name } }) {
    yield* submitAs(caller, (realm, actor) => {
      const emoji = realm.part(customEmojiPart).findByName(name)
      const found =
        emoji === undefined
          ? Result.fail(notThere(`Emoji '${name}' does not exist`))
          : mayDeactivate(realm, actor, emoji)
            ? Result.succeed(emoji)
            : Result.fail(badRequest("Must be an organization administrator or emoji author"))
      return judgementOf(found, ({ id }) => change([emojiRow({ op: "deactivate", id })]))
    })
    return dataReply()
  }),
})

export const emojiEndpoints = [getEmoji, postEmoji, deleteEmoji]
