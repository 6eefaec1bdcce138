/**
 * Gives a message other HTML without an edit, with the previews of its pages or the thumbnails of its pictures, unless
 * it has changed since these were looked up. Its content stays as it was typed; clients get the event with
 * `rendering_only`.
 */
import * as Effect from "effect/Effect"
import { type Conflict, retryOnConflict } from "../../../conflict.ts"
import { UserReads } from "../../../db/reads.ts"
import { call, type Judgement } from "../../../events/command.ts"
import type { MessageId, RealmId, UserId } from "../../../ids.ts"
import { updateMessageRows } from "../../ground/kinds/update-message-row.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import { Realms, waitForPosition } from "../../ground/realm/realms.ts"
import { accessData, messageAudience, noMessage, readAboutMessage } from "../../reading/history/message-access.ts"
import { type MessageAccess, readMessageAccess } from "../../reading/history/message-access-store.ts"

export interface Rerendered {
  readonly message: MessageId
  readonly sender: UserId
  readonly content: string
  /** How it is shown, and how it is to be shown. */
  readonly before: string
  readonly after: string
}

/** A message that is moved so often meanwhile stays as it is. */
const mostRounds = 3

const judge = (realm: Realm, place: MessageAccess, rerendered: Rerendered): Judgement<undefined | Conflict> => {
  const channel = place.channel_id === null ? undefined : realm.channels.get(place.channel_id)
  const content = {
    raw: rerendered.content,
    rendered: rerendered.after,
    orig_raw: rerendered.content,
    orig_rendered: rerendered.before,
  }
  const row = updateMessageRows.change(
    {
      user_id: null,
      message_id: rerendered.message,
      messages: { channel_id: place.channel_id, held_by: "receivers", ids: [rerendered.message] },
      flags: {},
      ...(channel === undefined ? {} : { channel: { id: channel.id, name: channel.name } }),
      content,
    },
    messageAudience(realm, place),
    { sideData: accessData(realm, place) },
  )
  return call("rerender_messages_v1", { row, content }, false, readAboutMessage({ changed: noMessage }))
}

/** Fails with an ApiError where the message is not as it was; with another error where the database does not answer. */
export const rerender = Effect.fnUntraced(function* (id: RealmId, rerendered: Rerendered) {
  const realms = yield* Realms
  const { realm } = yield* realms.get(id)
  const reads = yield* UserReads
  const attempt = Effect.gen(function* () {
    const reading = reads.begin(`previews for realm ${id}`)
    const place = yield* readMessageAccess(reading, { realm: id, user: rerendered.sender }, rerendered.message)
    if (place === undefined) return undefined
    yield* waitForPosition(realm, Math.max(place.id, place.channel_since ?? 0))
    return yield* realms.submit(id, { judge: (now) => judge(now, place, rerendered) })
  })
  yield* retryOnConflict(mostRounds, attempt, Effect.void)
})
