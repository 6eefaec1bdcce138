/**
 * Which emoji a request means (contract 2.18): by its name, by its code within a type of reaction, or by both. Custom
 * emoji come before `zulip`, the server's own, and before those of Unicode.
 */
import * as Result from "effect/Result"
import { type ApiError, badRequest } from "../../errors.ts"
import { findEmojiByCode, findEmojiByName } from "../emoji/unicode-emoji.ts"

/** The types of reactions, by their names on the wire; each has codes of its own. */
export const reactionTypes = ["unicode_emoji", "realm_emoji", "zulip_extra_emoji"] as const
export type ReactionType = (typeof reactionTypes)[number]

export interface Emoji {
  readonly emoji_name: string
  readonly emoji_code: string
  readonly reaction_type: ReactionType
}

type Answer<A> = Result.Result<A, ApiError>

/** The one emoji of the server itself. */
const own: Emoji = { emoji_name: "zulip", emoji_code: "zulip", reaction_type: "zulip_extra_emoji" }

export const findByName = (name: string): Emoji | undefined => {
  if (name === own.emoji_name) return own
  const found = findEmojiByName(name)
  return found && { emoji_name: name, emoji_code: found.code, reaction_type: "unicode_emoji" }
}

/** A type as clients write it; the documentation of the API has another name for the server's own emoji. */
export const readReactionType = (raw: string): Answer<ReactionType> => {
  const type = raw === "service_extra_emoji" ? "zulip_extra_emoji" : reactionTypes.find((each) => each === raw)
  return type === undefined ? Result.fail(badRequest("Invalid emoji type.")) : Result.succeed(type)
}

export interface Asked {
  readonly name: string
  readonly code: string | undefined
  readonly type: ReactionType | undefined
}

/** What is not named by the request is looked up by the emoji's name. */
export const requireNamed = ({ name, code, type }: Asked): Answer<Emoji> => {
  if (code !== undefined && type !== undefined)
    return Result.succeed({ emoji_name: name, emoji_code: code, reaction_type: type })
  const found = findByName(name)
  if (found === undefined) return Result.fail(badRequest(`Emoji '${name}' does not exist`))
  return Result.succeed({
    emoji_name: name,
    emoji_code: code ?? found.emoji_code,
    reaction_type: type ?? found.reaction_type,
  })
}

/** Why nobody may put this emoji under a message that does not have it yet; undefined: everybody may. */
export const emojiFault = ({ emoji_name, emoji_code, reaction_type }: Emoji): ApiError | undefined => {
  switch (reaction_type) {
    case "realm_emoji":
      return badRequest("Invalid custom emoji.")
    case "zulip_extra_emoji":
      if (emoji_code !== own.emoji_code) return badRequest("Invalid emoji code.")
      return emoji_name === own.emoji_name ? undefined : badRequest("Invalid emoji name.")
    case "unicode_emoji":
      if (findEmojiByCode(emoji_code) === undefined) return badRequest("Invalid emoji code.")
      return findEmojiByName(emoji_name)?.code === emoji_code ? undefined : badRequest("Invalid emoji name.")
  }
}
