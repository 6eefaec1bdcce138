/** A user's alert words as rows and as events, and their section of register. */
import * as Schema from "effect/Schema"
import { toUsers } from "../../../events/audience.ts"
import { idSchemas, type UserId } from "../../../ids.ts"
import { eventKind } from "../../ground/kinds/event-kind.ts"
import { oneEvent } from "../../ground/kinds/event-kind-helpers.ts"
import { section } from "../../ground/kinds/section.ts"
import { plainEvent, textUpTo } from "../../ground/wire/wire-values.ts"
import { alertWords, longestAlertWord } from "../../sending/messages/alert-word-index.ts"

/** All words of the user, in the order in which they were added. */
const Words = Schema.Array(textUpTo(longestAlertWord).check(Schema.isMinLength(1)))
export const alertWordsKeys = { alert_words: Words }

const type = "alert_words"

/** Other changes of the user's words are judged by these rows. */
export const alertWordsKind = eventKind({
  type,
  payload: Schema.Struct({ user_id: idSchemas.user, words: Words }),
  changesRules: true,
  applyFunction: "apply_alert_words_v1",
  applyToProjection: (realm, { user_id, words }) => realm.part(alertWords).set(user_id, words),
  sections: [type],
  events: { "": plainEvent(type, alertWordsKeys) },
  wire: ({ words }) => oneEvent({ type, alert_words: words }),
})

/** The row that gives a user these words instead of all former ones. */
export const alertWordsRow = (user: UserId, words: ReadonlyArray<string>) =>
  alertWordsKind.change({ user_id: user, words }, toUsers([user]))

export const alertWordsSection = section(type, alertWordsKeys, ({ realm, user }) => ({
  alert_words: user === null ? [] : realm.part(alertWords).of(user.id),
}))
