/** PATCH /messages/{message_id}: edits a message, or moves it and others to other topics and channels. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { dataReply, userEndpoint } from "../../../api/endpoint.ts"
import { badRequest } from "../../../api/errors.ts"
import { alias, anyLength, boolean, choice, id, optional, text, withDefault } from "../../../api/params.ts"
import { ChannelId, MessageId } from "../../../ids.ts"
import { WireAttachment } from "../../reading/attachments/attachment-event.ts"
import { type MoveRequest, moveMessages } from "../message-moves/move-messages.ts"
import { type ContentEdit, editAndMove, editContent } from "./edit-content.ts"
import { moveExpecting } from "./expected-content.ts"

export const patchMessage = userEndpoint({
  method: "PATCH",
  path: "/messages/{message_id:int}",
  fresh: "onRefusal",
  summary: "Edits a message, or moves it or its whole topic to another topic or channel.",
  params: {
    messageId: id("message_id", MessageId),
    content: optional(text("content", anyLength)),
    topic: optional(alias(text("topic", anyLength), "subject")),
    mode: withDefault(choice("propagate_mode", ["change_one", "change_later", "change_all"]), "change_one"),
    tellsOld: withDefault(boolean("send_notification_to_old_thread"), false),
    tellsNew: withDefault(boolean("send_notification_to_new_thread"), true),
    channel: optional(id("stream_id", ChannelId)),
    previous: optional(text("prev_content_sha256", { max: 64 })),
  },
  reply: Schema.Struct({ detached_uploads: Schema.Array(WireAttachment) }),
  errors: [
    "MOVE_MESSAGES_TIME_LIMIT_EXCEEDED",
    "EXPECTATION_MISMATCH",
    "STREAM_WILDCARD_MENTION_NOT_ALLOWED",
    "TOPIC_WILDCARD_MENTION_NOT_ALLOWED",
  ],
  run: Effect.fnUntraced(function* (caller, { params: { messageId: message, content, previous, ...wanted } }) {
    const { topic, channel, mode, tellsOld, tellsNew } = wanted
    if (content !== undefined && channel !== undefined)
      return yield* badRequest("Cannot change message content while changing channel")
    const isMove = topic !== undefined || channel !== undefined
    const edit: ContentEdit | undefined = content === undefined ? undefined : { message, content, previous }
    if (!isMove && (edit === undefined || mode !== "change_one"))
      return yield* badRequest(
        edit === undefined && mode === "change_one" ? "Nothing to change" : "Invalid propagate_mode without topic edit",
      )
    const move: MoveRequest = { what: { message, mode }, to: { topic, channel }, told: { tellsOld, tellsNew } }
    if (edit === undefined) {
      yield* previous === undefined ? moveMessages(caller, move) : moveExpecting(caller, previous, move)
      return dataReply({ detached_uploads: [] })
    }
    const detached = isMove ? yield* editAndMove(caller, edit, move) : yield* editContent(caller, edit)
    return dataReply({ detached_uploads: detached })
  }),
})
