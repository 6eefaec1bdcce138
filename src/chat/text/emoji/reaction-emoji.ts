/**
 * Which emoji a request means, for a reaction or a status: by its name, by its code within a type of reaction, or by
 * both. Custom emoji come before `zulip`, the server's own, and before those of Unicode.
 */
import * as Result from "effect/Result"
import { type ApiError, badRequest, type Checked } from "../../../api/errors.ts"
import { type ReactionType, reactionTypes } from "../../ground/realm/domain-values.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import { customEmojiPart, type EmojiRecord } from "./custom-emoji.ts"
import { findEmojiByCode, findEmojiByName } from "./unicode-emoji.ts"

export interface Emoji {
  readonly emoji_name: string
  readonly emoji_code: string
  readonly reaction_type: ReactionType
}

/** The one emoji of the server itself. */
const own: Emoji = { emoji_name: "zulip", emoji_code: "zulip", reaction_type: "zulip_extra_emoji" }

type EmojiSource = Pick<Realm, "part">

const custom = ({ id, name }: EmojiRecord): Emoji => ({
  emoji_name: name,
  emoji_code: String(id),
  reaction_type: "realm_emoji",
})

const findByName = (realm: EmojiSource, name: string): Emoji | undefined => {
  const found = realm.part(customEmojiPart).findByName(name)
  if (found !== undefined) return custom(found)
  if (name === own.emoji_name) return own
  const unicode = findEmojiByName(name)
  return unicode && { emoji_name: name, emoji_code: unicode.code, reaction_type: "unicode_emoji" }
}

/** A type as clients write it; the documentation of the API has another name for the server's own emoji. */
export const readReactionType = (raw: string): Checked<ReactionType> => {
  const type = raw === "service_extra_emoji" ? "zulip_extra_emoji" : reactionTypes.find((each) => each === raw)
  return type === undefined ? Result.fail(badRequest("Invalid emoji type.")) : Result.succeed(type)
}

export interface RequestedEmoji {
  readonly name: string
  readonly code: string | undefined
  readonly type: ReactionType | undefined
}

/** The emoji that a request means: whatever it does not give is looked up by the emoji's name. */
export const requireNamed = (realm: EmojiSource, { name, code, type }: RequestedEmoji): Checked<Emoji> => {
  if (code !== undefined && type !== undefined)
    return Result.succeed({ emoji_name: name, emoji_code: code, reaction_type: type })
  const found = findByName(realm, name)
  if (found === undefined) return Result.fail(badRequest(`Emoji '${name}' does not exist`))
  return Result.succeed({
    emoji_name: name,
    emoji_code: code ?? found.emoji_code,
    reaction_type: type ?? found.reaction_type,
  })
}

/** The emoji of a reaction to be taken back: a custom one may be out of use by now. */
export const requireTakenBack = (realm: EmojiSource, name: string): Checked<Emoji> => {
  const found = findByName(realm, name) ?? findLast(realm, name)
  return found === undefined ? Result.fail(badRequest(`Emoji '${name}' does not exist`)) : Result.succeed(found)
}

/** The newest custom emoji that had this name. */
const findLast = (realm: EmojiSource, name: string): Emoji | undefined => {
  const last = [...realm.part(customEmojiPart).values()].findLast((each) => each.name === name)
  return last && custom(last)
}

const customFault = (realm: EmojiSource, { emoji_name, emoji_code }: Emoji): ApiError | undefined => {
  const known = /^[1-9]\d{0,8}$/.test(emoji_code) ? realm.part(customEmojiPart).get(Number(emoji_code)) : undefined
  if (known === undefined) return badRequest("Invalid custom emoji.")
  if (known.name !== emoji_name) return badRequest("Invalid custom emoji name.")
  return known.closed === null ? undefined : badRequest("This custom emoji has been deactivated.")
}

/** Why nobody may put this emoji under a message that does not have it yet, or into a status; undefined: everybody may. */
export const emojiFault = (realm: EmojiSource, emoji: Emoji): ApiError | undefined => {
  const { emoji_name, emoji_code, reaction_type } = emoji
  switch (reaction_type) {
    case "realm_emoji":
      return customFault(realm, emoji)
    case "zulip_extra_emoji":
      if (emoji_code !== own.emoji_code) return badRequest("Invalid emoji code.")
      return emoji_name === own.emoji_name ? undefined : badRequest("Invalid emoji name.")
    case "unicode_emoji":
      if (findEmojiByCode(emoji_code) === undefined) return badRequest("Invalid emoji code.")
      return findEmojiByName(emoji_name)?.code === emoji_code ? undefined : badRequest("Invalid emoji name.")
  }
}
