/**
 * The content that a client expects a message to have (`prev_content_sha256`). If it has another one by now, neither an
 * edit nor a move is done.
 */
import { createHash } from "node:crypto"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Caller } from "../../../api/endpoint.ts"
import { type Checked, expectationMismatch } from "../../../api/errors.ts"
import { noMessage, requireReadable } from "../../reading/history/message-access.ts"
import {
  isThere,
  type JudgeContent,
  type MoveRequest,
  moveMessages,
  nothingToChange,
} from "../message-moves/move-messages.ts"
import { findMessageWithText } from "./found-message.ts"
import { findOtherHolders, type MessageText } from "./message-text-store.ts"

/** `expected`: the SHA-256 of the content in hexadecimal digits; undefined: whatever it is. */
export const requireExpected = ({ content }: MessageText, expected: string | undefined): Checked<void> =>
  expected === undefined || expected.toLowerCase() === createHash("sha256").update(content).digest("hex")
    ? Result.succeed(undefined)
    : Result.fail(expectationMismatch("prev_content_sha256"))

/** Moves messages, if the one that the request names has the expected content. */
export const moveExpecting = Effect.fnUntraced(function* (caller: Caller, expected: string, request: MoveRequest) {
  const content = Effect.gen(function* () {
    const { place, text } = yield* findMessageWithText(caller, request.what.message)
    if (text === undefined) return yield* noMessage
    const was = { orig_raw: text.content, orig_rendered: text.rendered }
    // The guard asks for these too, for edits: if they are others by now, the move is judged again.
    const others = yield* findOtherHolders(caller, request.what.message)
    const judge: JudgeContent = (realm, user) =>
      Result.map(
        Result.flatMap(requireReadable(realm, user, place), () => requireExpected(text, expected)),
        () => ({ was, others, edit: null }),
      )
    return judge
  })
  if ((yield* moveMessages(caller, request, content)) === isThere) return yield* nothingToChange
})
