/** A message with its text, for what edits, deletes or reports it. Whether the caller may is judged in the command. */
import * as Effect from "effect/Effect"
import type { Caller } from "../../../api/endpoint.ts"
import type { MessageId } from "../../../ids.ts"
import { findMessageAccess } from "../../reading/history/message-access.ts"
import type { MessageAccess } from "../../reading/history/message-access-store.ts"
import { findMessageText, type MessageText } from "./message-text-store.ts"

/** Undefined where there is no such message. */
export interface FoundMessage {
  readonly place: MessageAccess | undefined
  readonly text: MessageText | undefined
}

export const findMessageWithText = Effect.fnUntraced(function* (caller: Caller, message: MessageId) {
  const place = yield* findMessageAccess(caller, message)
  const found: FoundMessage = { place, text: yield* findMessageText(caller, message) }
  return found
})
