/** PATCH /messages/{message_id}: moves messages to other topics and channels (contract 3.6). */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { data, userEndpoint } from "../../endpoint.ts"
import { badRequest } from "../../errors.ts"
import { ChannelId, MessageId } from "../../ids.ts"
import { alias, anyLength, boolean, choice, id, optional, text, withDefault } from "../../params.ts"
import { moveMessages } from "../message-moves/move-messages.ts"
import { NoItems } from "../wire/wire-values.ts"

export const patchMessage = userEndpoint({
  method: "PATCH",
  path: "/messages/{message_id:int}",
  summary: "Moves a message, or its whole topic, to another topic or channel.",
  params: {
    messageId: id("message_id", MessageId),
    content: optional(text("content", anyLength)),
    topic: optional(alias(text("topic", anyLength), "subject")),
    mode: withDefault(choice("propagate_mode", ["change_one", "change_later", "change_all"]), "change_one"),
    tellsOld: withDefault(boolean("send_notification_to_old_thread"), false),
    tellsNew: withDefault(boolean("send_notification_to_new_thread"), true),
    channel: optional(id("stream_id", ChannelId)),
  },
  reply: Schema.Struct({ detached_uploads: NoItems }),
  errors: ["MOVE_MESSAGES_TIME_LIMIT_EXCEEDED"],
  run: Effect.fnUntraced(function* (caller, { messageId: message, content, ...wish }) {
    if (content !== undefined && wish.channel !== undefined)
      return yield* badRequest("Cannot change message content while changing channel")
    if (content !== undefined) return yield* badRequest("The content of messages cannot be edited yet")
    if (wish.topic === undefined && wish.channel === undefined)
      return yield* badRequest(
        wish.mode === "change_one" ? "Nothing to change" : "Invalid propagate_mode without topic edit",
      )
    yield* moveMessages(caller, { message, ...wish })
    return data({ detached_uploads: [] })
  }),
})
