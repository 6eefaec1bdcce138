/** The custom emoji of an organization: a part of the projection. Reactions and messages look them up here. */
import * as Schema from "effect/Schema"
import { idSchemas } from "../../../ids.ts"
import { projectionPart } from "../../ground/realm/projection-part.ts"

/** The fields of a custom emoji that never change. */
export const emojiFields = {
  id: Schema.Number,
  name: Schema.String,
  /** The name of its picture; and of the first picture of an animation, null for an image that is none. */
  file: Schema.String,
  still: Schema.NullOr(Schema.String),
  author_id: Schema.NullOr(idSchemas.user),
}

/** A custom emoji, in use from the row at `opened` until the one at `closed`. */
export const EmojiRecord = Schema.Struct({
  ...emojiFields,
  opened: Schema.Number,
  closed: Schema.NullOr(Schema.Number),
})
export type EmojiRecord = typeof EmojiRecord.Type

export class CustomEmoji {
  readonly #byId = new Map<number, EmojiRecord>()
  /** The ids of those in use. */
  readonly #byName = new Map<string, number>()

  /** Those out of use included: old reactions show them. */
  get(id: number): EmojiRecord | undefined {
    return this.#byId.get(id)
  }

  values(): Iterable<EmojiRecord> {
    return this.#byId.values()
  }

  get size(): number {
    return this.#byId.size
  }

  /** The one in use that has this name. */
  findByName(name: string): EmojiRecord | undefined {
    const id = this.#byName.get(name)
    return id === undefined ? undefined : this.#byId.get(id)
  }

  /** None is ever removed. */
  nextId(): number {
    return this.#byId.size + 1
  }

  set(emoji: EmojiRecord): void {
    this.#byId.set(emoji.id, emoji)
    if (emoji.closed === null) this.#byName.set(emoji.name, emoji.id)
    else if (this.#byName.get(emoji.name) === emoji.id) this.#byName.delete(emoji.name)
  }
}

export const customEmojiPart = projectionPart({
  name: "emoji",
  load: "load_realm_emoji_v1",
  stored: Schema.Array(EmojiRecord),
  empty: () => new CustomEmoji(),
  fill: (emoji, stored) => {
    for (const each of stored) emoji.set(each)
  },
  plain: (emoji) =>
    [...emoji.values()].sort((a, b) => a.id - b.id).map((each) => [each, emoji.findByName(each.name)?.id]),
})
