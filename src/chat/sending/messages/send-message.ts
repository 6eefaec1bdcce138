/**
 * POST /messages: from a request to one row of the log. The content is rendered first, because that may take a while.
 * Permissions are checked when the writer forms its batch. The SQL function checks under the lock what only the
 * database knows: whether this is a retry, and whether the conversation exists.
 */
import { createHash } from "node:crypto"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { type Caller, dataReply, userEndpoint } from "../../../api/endpoint.ts"
import { missingVariable } from "../../../api/errors.ts"
import { alias, anyLength, boolean, check, choice, json, jsonOrText, optional, text } from "../../../api/params.ts"
import { bounded, either, integer, list, string } from "../../../api/shapes.ts"
import { Config } from "../../../config/config.ts"
import { Database } from "../../../db/database.ts"
import type { Command } from "../../../events/command.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import { Realms } from "../../ground/realm/realms.ts"
import { Id } from "../../ground/wire/wire-values.ts"
import { wakeBotCalls } from "./bot-calls.ts"
import { longestAddresses, mostNamed } from "./destination.ts"
import { judgeSend } from "./judge-send.ts"
import { noteSent, type ParsedSend, prepareSend, readByDefault, readContent } from "./prepare-send.ts"
import { automaticPolicies, recall, type SendResult } from "./send-outcome.ts"
import { longestWidget, widgetContentShape } from "./widgets.ts"

const toShape = either(
  either(bounded({ max: longestAddresses }), integer, ""),
  list(either(string, integer, ""), mostNamed),
  "is not a string, an integer, or a list of either",
)

const longestEchoKey = 255

/** One half of a retry's key. Its length is limited because the key is an index entry. Empty is the same as absent. */
const echoKey = (name: string) =>
  check(optional(text(name)), (key) =>
    key !== undefined && key.length > longestEchoKey
      ? `${name} is too long (limit: ${longestEchoKey} characters)`
      : undefined,
  )

/** Sends a message. Answers when this process has applied the commit, so that its sender can read it at once. */
export const sendMessage = Effect.fnUntraced(function* (caller: Caller, unsent: ParsedSend) {
  const prepared = yield* prepareSend(caller, unsent)
  const { limits } = yield* Config
  const database = yield* Database
  const { echo } = unsent
  let calls = false
  const note = (callsBots: boolean): void => {
    calls = callsBots
  }
  const command: Command<Realm, SendResult> = {
    judge: (realm) => judgeSend(realm, caller, prepared.send, limits, note),
    ...(echo === null ? {} : { recall: () => recall(database, caller.realm, caller.user, echo) }),
  }
  const sent = yield* (yield* Realms).submit(caller.realm, command)
  yield* noteSent(caller, sent, prepared)
  if (calls) yield* wakeBotCalls
  return sent
})

export const postMessages = userEndpoint({
  method: "POST",
  path: "/messages",
  fresh: "onRefusal",
  forWebhookBots: true,
  summary: "Sends a message to a channel or to people.",
  params: {
    type: choice("type", ["direct", "channel", "stream", "private"]),
    to: jsonOrText("to", toShape),
    content: text("content", anyLength),
    topic: optional(alias(text("topic", anyLength), "subject")),
    queueId: echoKey("queue_id"),
    localId: echoKey("local_id"),
    readBySender: optional(boolean("read_by_sender")),
    widget: optional(json("widget_content", widgetContentShape, { max: longestWidget })),
  },
  reply: Schema.Struct({
    id: Id,
    automatic_new_visibility_policy: Schema.optionalKey(Schema.Literals(automaticPolicies)),
  }),
  errors: ["STREAM_DOES_NOT_EXIST", "REQUEST_VARIABLE_MISSING"],
  run: Effect.fnUntraced(function* (caller, { params }) {
    const { limits } = yield* Config
    const content = yield* Effect.fromResult(readContent(params.content, limits))
    const { queueId = "", localId = "" } = params
    // A queue that is unknown or gone is not refused: the key still tells a retry, and the message echoes to nobody.
    if ((queueId === "") !== (localId === ""))
      return yield* Effect.fail(missingVariable(localId === "" ? "local_id" : "queue_id"))
    const type = params.type === "direct" || params.type === "private" ? "direct" : "channel"
    const { to, topic, widget } = params
    const readBySender = params.readBySender ?? readByDefault(caller.client)
    const digest = () => {
      // The beginning of a text that is cut anyway is enough: a megabyte of escapes takes 40 ms.
      const compared = (text: string) => text.slice(0, 4 * limits.maxMessageLength)
      const named = topic === undefined ? null : compared(topic)
      const parts = [type, to, named, compared(params.content), params.readBySender ?? null, widget ?? null]
      return createHash("sha256").update(JSON.stringify(parts)).digest("base64url")
    }
    // Only where there is a key: it takes longer than to render a plain message.
    const echo = queueId === "" || localId === "" ? null : { queueId, localId, digest: digest() }
    const { id, policy } = yield* sendMessage(caller, {
      destination: { type, to, topic },
      content,
      readBySender,
      widget,
      echo,
    })
    return dataReply(policy === null ? { id } : { id, automatic_new_visibility_policy: policy })
  }),
})
