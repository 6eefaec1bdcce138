/**
 * Custom emoji as rows and events, and their section of register. A row has the one emoji that it makes or takes out of
 * use; the event has all emoji as they are at its row.
 */
import * as Schema from "effect/Schema"
import { toRealm } from "../../../events/audience.ts"
import type { RealmId } from "../../../ids.ts"
import type { JsonObject } from "../../../json.ts"
import { eventKind } from "../../ground/kinds/event-kind.ts"
import { oneEvent, requireStoredRow } from "../../ground/kinds/event-kind-helpers.ts"
import type { Section } from "../../ground/kinds/section.ts"
import { cachedFor, member } from "../../ground/kinds/section-text.ts"
import { emojiPictureUrl } from "../../ground/realm/email-addresses.ts"
import { Id, opEvent } from "../../ground/wire/wire-values.ts"
import { type CustomEmoji, customEmojiPart, type EmojiRecord, emojiFields } from "../../text/emoji/custom-emoji.ts"

const type = "realm_emoji"

const Payload = Schema.Union([
  Schema.Struct({ op: Schema.Literal("add"), emoji: Schema.Struct(emojiFields) }),
  Schema.Struct({ op: Schema.Literal("deactivate"), id: emojiFields.id }),
])

const Picture = Schema.String.check(Schema.isPattern(/^\/user_avatars\/\d+\/emoji\/images\/[0-9a-z-]+\.(png|webp)$/))

/** As clients read them: by their ids as text. */
export const EmojiMap = Schema.Record(
  Schema.String,
  Schema.Struct({
    id: Schema.String,
    name: Schema.NonEmptyString,
    source_url: Picture,
    /** null: the image is no animation. */
    still_url: Schema.NullOr(Picture),
    deactivated: Schema.Boolean,
    author_id: Schema.NullOr(Id),
  }),
)

const wireEmoji = (realm: RealmId, emoji: EmojiRecord, position: number): JsonObject => ({
  id: String(emoji.id),
  name: emoji.name,
  source_url: emojiPictureUrl({ id: realm }, emoji.file),
  still_url: emoji.still === null ? null : emojiPictureUrl({ id: realm }, emoji.still),
  deactivated: emoji.closed !== null && emoji.closed <= position,
  author_id: emoji.author_id,
})

/** All custom emoji as they were at a position, those out of use included: old reactions show them. */
export const wireEmojiAt = (realm: RealmId, emoji: CustomEmoji, position: number): JsonObject =>
  Object.fromEntries(
    [...emoji.values()]
      .filter(({ opened }) => opened <= position)
      .map((each) => [String(each.id), wireEmoji(realm, each, position)]),
  )

/** Reactions and further emoji are judged by the names that are in use. */
export const emojiKind = eventKind({
  type,
  payload: Payload,
  changesRules: true,
  applyFunction: "apply_realm_emoji_v1",
  applyToProjection: (realm, payload, position) => {
    const emoji = realm.part(customEmojiPart)
    if (payload.op === "add") emoji.set({ ...payload.emoji, opened: position, closed: null })
    else {
      const known = emoji.get(payload.id)
      if (known !== undefined) emoji.set({ ...known, closed: position })
    }
  },
  events: { update: opEvent(type, "update", { realm_emoji: EmojiMap }) },
  sections: [type],
  wireForm: (past) => ({
    personal: false,
    variant: () => "",
    wire: (body) =>
      oneEvent({
        type,
        op: "update",
        realm_emoji: wireEmojiAt(past.id, past.part(customEmojiPart), requireStoredRow(body).position),
      }),
  }),
})

export const emojiRow = (payload: typeof Payload.Type) => emojiKind.change(payload, toRealm)

const cachedEmojiSection = cachedFor<string>([type], 1)

export const emojiSection: Section = {
  name: type,
  keys: { realm_emoji: EmojiMap },
  take: ({ realm }) => [
    cachedEmojiSection(realm, "", () =>
      member("realm_emoji", wireEmojiAt(realm.id, realm.part(customEmojiPart), realm.position)),
    ),
  ],
}
