/**
 * POST /submessage: votes in a poll, ticks in a to-do list. Whoever may read the message takes part, and everybody who
 * holds it hears of it, as does who did it.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { type Caller, dataReply, noFields, userEndpoint } from "../../../api/endpoint.ts"
import { badRequest } from "../../../api/errors.ts"
import { choice, id, text } from "../../../api/params.ts"
import type { Conflict } from "../../../conflict.ts"
import { call, type Judgement, judgementOf } from "../../../events/command.ts"
import { MessageId } from "../../../ids.ts"
import { submitWithRecord } from "../../ground/requester/submit.ts"
import {
  accessData,
  findMessageAccess,
  messageAudience,
  readAboutMessage,
  requireReadable,
} from "../../reading/history/message-access.ts"
import { policiesByParticipation } from "../../sending/messages/automatic-topic-policies.ts"
import { widgetMessageType } from "../../sending/messages/widgets.ts"
import { readSubmessage, requireAction, widgetTypeOf } from "./submessage-content.ts"
import { submessageKind } from "./submessage-event.ts"
import { findFirstSubmessage } from "./submessage-store.ts"

/** Most bytes of all submessages of a message, because every client that reads it gets them all: thousands of votes. */
const mostBytes = 256 * 1024

const refusals = { full: badRequest("Nothing more can be added to this message.") }

/** The message, and what it began with. */
const findWidgetOf = (caller: Caller, message: MessageId) =>
  Effect.all({ place: findMessageAccess(caller, message), first: findFirstSubmessage(caller, message) })

export const postSubmessage = userEndpoint({
  method: "POST",
  path: "/submessage",
  fresh: "onRefusal",
  summary: "Takes part in a poll or a to-do list.",
  params: {
    messageId: id("message_id", MessageId),
    content: text("content"),
    type: choice("msg_type", [widgetMessageType]),
  },
  reply: noFields,
  errors: [],
  run: Effect.fnUntraced(function* (caller, { params: { messageId, type, content } }) {
    const action = yield* Effect.fromResult(readSubmessage(content))
    yield* submitWithRecord(
      caller,
      findWidgetOf(caller, messageId),
      ({ place, first }, realm, user): Judgement<undefined | Conflict> => {
        const planned = Result.gen(function* () {
          const found = yield* requireReadable(realm, user, place)
          const widget = widgetTypeOf(first)
          if (widget === undefined)
            return yield* Result.fail(badRequest("You cannot attach a submessage to this message."))
          return { found, subject: yield* requireAction(widget, action, found.sender_id === user.id) }
        })
        return judgementOf(planned, ({ found, subject }) => {
          const sideData = { ...accessData(realm, found), msg_type: type, subject, most_bytes: mostBytes }
          const payload = { message_id: messageId, sender_id: user.id, content }
          const readers = messageAudience(realm, found)
          const audience = { ...readers, also: [...(readers.also ?? []), user.id] }
          const row = submessageKind.change(payload, audience, { sideData })
          const channel = found.channel_id === null ? undefined : realm.channels.get(found.channel_id)
          const policies = policiesByParticipation(realm, user, channel)
          return call("add_submessages_v1", { row, ...policies }, false, readAboutMessage(refusals))
        })
      },
    )
    return dataReply()
  }),
})
