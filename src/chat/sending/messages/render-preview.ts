/** POST /messages/render: what a message would look like. Nothing is sent, and nobody is notified. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { dataReply, userEndpoint } from "../../../api/endpoint.ts"
import { anyLength, text } from "../../../api/params.ts"
import { Config } from "../../../config/config.ts"
import { renderMessage } from "../../text/markdown/render-message.ts"
import { readContent } from "./prepare-send.ts"

export const postRender = userEndpoint({
  method: "POST",
  path: "/messages/render",
  fresh: "before",
  summary: "Renders a message without sending it.",
  params: { content: text("content", anyLength) },
  reply: Schema.Struct({ rendered: Schema.String }),
  errors: ["REQUEST_VARIABLE_MISSING"],
  run: Effect.fnUntraced(function* (caller, { params }) {
    const { limits } = yield* Config
    const content = yield* Effect.fromResult(readContent(params.content, limits))
    return dataReply({ rendered: (yield* renderMessage(caller, content)).html })
  }),
})
