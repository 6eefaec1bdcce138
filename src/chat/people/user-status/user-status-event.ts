/** The event about a person's status, and its section of register. */
import * as Schema from "effect/Schema"
import { JsonMember } from "../../../json-pieces.ts"
import { wireKind } from "../../ground/kinds/event-kind.ts"
import { noEvents, oneEvent, requireStoredRow } from "../../ground/kinds/event-kind-helpers.ts"
import type { Section } from "../../ground/kinds/section.ts"
import { membersOf } from "../../ground/kinds/section-text.ts"
import { userStatusRows } from "../../ground/kinds/user-status-row.ts"
import { StatusEmoji, userStatuses } from "../../ground/kinds/user-statuses.ts"
import { isLimited, peopleKnownTo } from "../../ground/realm/acquaintance/acquaintance.ts"
import { strangersTo } from "../../ground/wire/receivers-who-do-not-know.ts"
import { Id, NoKeys, plainEvent } from "../../ground/wire/wire-values.ts"

/** In characters. */
export const longestStatus = 60
const Text = Schema.String.check(
  Schema.makeFilter((text) => [...text].length <= longestStatus, { expected: `at most ${longestStatus} characters` }),
)

/** A status as reads and register answer it: nothing of it that there is not, and of an emoji all. */
const said = {
  away: Schema.optionalKey(Schema.Literal(true)),
  status_text: Schema.optionalKey(Text.check(Schema.isNonEmpty())),
}
export const Status = Schema.Union([Schema.Struct(said), Schema.Struct({ ...said, ...StatusEmoji.fields })]).annotate({
  identifier: "UserStatus",
})

const type = "user_status"

const changed = {
  user_id: Id,
  away: Schema.optionalKey(Schema.Boolean),
  status_text: Schema.optionalKey(Text),
}

/** An emoji that was taken away, as clients take it away. */
const noEmoji = { emoji_name: "", emoji_code: "", reaction_type: "unicode_emoji" } as const
const NoEmoji = {
  emoji_name: Schema.Literal(""),
  emoji_code: Schema.Literal(""),
  reaction_type: Schema.Literal("unicode_emoji"),
}

export const userStatusKind = wireKind(userStatusRows, {
  events: {
    "": Schema.Union([
      plainEvent(type, changed),
      plainEvent(type, { ...changed, ...StatusEmoji.fields }),
      plainEvent(type, { ...changed, ...NoEmoji }),
    ]),
  },
  sections: [type],
  wireForm: (past, read) => {
    // A row to named users shows them somebody whom they are about to know.
    const strangers = strangersTo(past, (body) =>
      requireStoredRow(body).audience.kind === "users" ? null : { user: read(body.payload).user_id },
    )
    return {
      personal: true,
      apart: strangers.to,
      variant: (body, receiver) => (strangers.isStranger(body, receiver) ? "?" : ""),
      wire: (body, receiver) => {
        if (strangers.isStranger(body, receiver)) return noEvents
        const { emoji, ...changes } = read(body.payload)
        return oneEvent({ type, ...changes, ...(emoji === null ? noEmoji : emoji) })
      },
    }
  },
})

/** Everybody sees the same, but for limited guests; a visitor without an account sees nobody's. */
export const userStatusSection: Section = {
  name: type,
  keys: { [type]: Schema.Record(Schema.String.check(Schema.isPattern(/^[1-9]\d*$/)), Status) },
  visitorKeys: { [type]: NoKeys },
  prepare: ({ realm, user }) => (user === null ? [] : realm.part(userStatuses).list.prepare()),
  take: ({ realm, user }) => {
    if (user === null) return membersOf({ [type]: {} })
    const { list } = realm.part(userStatuses)
    const parts = isLimited(realm, user)
      ? [...peopleKnownTo(realm, user.id)].sort((a, b) => a - b).flatMap((id) => list.item(id)?.text ?? [])
      : list.parts([], (id) => list.item(id)?.text)
    return [new JsonMember(type, parts, ["{", "}"])]
  },
}
