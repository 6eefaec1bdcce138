/**
 * What is done before a message is judged: its content is read and rendered, and whom it may mark and which files it links is
 * found; and after it was sent, for what is shown of its links. For every message of a user, whether it is sent now or later.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Caller } from "../../../api/endpoint.ts"
import { badRequest, type Checked } from "../../../api/errors.ts"
import { textFault } from "../../../api/shapes.ts"
import type { Limits } from "../../../config/config.ts"
import { MessageId } from "../../../ids.ts"
import { FileClaims } from "../../ground/files/file-claims.ts"
import { Thumbnails } from "../../ground/files/thumbnails.ts"
import { cut } from "../../ground/realm/domain-values.ts"
import { Realms } from "../../ground/realm/realms.ts"
import { contentKindsOf } from "../../text/markdown/content-kinds.ts"
import { LinkedPages, type LinkingText } from "../../text/markdown/previews/linked-pages.ts"
import { renderMessage } from "../../text/markdown/render-message.ts"
import { prepareTopicLinks } from "../../text/markdown/topic-links.ts"
import { findMarkCandidates } from "./find-mark-candidates.ts"
import type { PreparedMessage } from "./judge-send.ts"
import type { SendResult } from "./send-outcome.ts"

/** Clients in which people type; a message sent by one is read by its sender (contract 6.4). */
const readingClients: ReadonlySet<string> = new Set(
  "zulipandroid zulipios zulipdesktop zulipmobile zulipelectron zulipterminal snipe website ios android".split(" "),
)
export const readByDefault = (client: string): boolean => {
  const name = client.toLowerCase()
  return readingClients.has(name) || name.includes("desktop app")
}

const byteOrderMark = "\uFEFF"
const isLineEnd = (text: string, at: number): boolean =>
  text[at] === "\n" || (text[at] === "\r" && text[at + 1] === "\n")

/** Where the first line begins that is not blank. A regular expression takes 20 ms for a megabyte of blank lines. */
const firstLine = (text: string): number => {
  let start = 0
  for (let at = 0; at < text.length; at++) {
    if (text[at] === "\n") start = at + 1
    else if (text[at] !== " " && text[at] !== "\t" && text[at] !== byteOrderMark && !isLineEnd(text, at)) break
  }
  return start
}

/**
 * Strips leading blank lines and trailing space, and byte order marks, which a database may drop. What it could not store is
 * refused: not every text was a parameter.
 */
export const readContent = (raw: string, limits: Limits): Checked<string> => {
  const fault = textFault(raw)
  if (fault !== undefined) return Result.fail(badRequest(`content ${fault}`))
  const trimmed = raw
    .slice(firstLine(raw))
    .replace(/^\uFEFF+/, "")
    .trimEnd()
  return trimmed === ""
    ? Result.fail(badRequest("Message must not be empty"))
    : Result.succeed(cut(trimmed, limits.maxMessageLength, "\n[message truncated]"))
}

/** The parsed request, before permissions are checked. */
export type ParsedSend = Pick<PreparedMessage, "destination" | "content" | "readBySender" | "widget" | "echo">

export interface PreparedSend {
  readonly send: PreparedMessage
  /** What is to be rendered anew when the pages are known that it links; null where it links none. */
  readonly linking: LinkingText | null
}

export const prepareSend = Effect.fnUntraced(function* (caller: Caller, unsent: ParsedSend) {
  const { realm } = yield* (yield* Realms).get(caller.realm)
  yield* prepareTopicLinks(realm)
  const { destination, content, readBySender, widget, echo } = unsent
  const { html: rendered, mentions, linking } = yield* renderMessage(caller, content)
  const marking = yield* findMarkCandidates(caller, destination, { content, mentions })
  const files = yield* (yield* FileClaims).find(caller, rendered)
  const parts = contentKindsOf(rendered)
  const send: PreparedMessage = { destination, content, readBySender, widget, echo, rendered, parts, marking, files }
  const prepared: PreparedSend = { send, linking }
  return prepared
})

const noteLinks = Effect.fnUntraced(function* (
  { realm, user }: Pick<Caller, "realm" | "user">,
  sent: Pick<SendResult, "id">,
  { send, linking }: PreparedSend,
) {
  const id = MessageId(sent.id)
  if (send.files.length > 0) (yield* Thumbnails).note(realm, id, send.rendered)
  if (linking !== null) (yield* LinkedPages).note(realm, user, id, linking)
})

/** Has the pictures and pages shown that a message links, after its commit. */
export const noteSent = (
  sender: Pick<Caller, "realm" | "user">,
  sent: Pick<SendResult, "id">,
  prepared: PreparedSend,
): ReturnType<typeof noteLinks> =>
  prepared.send.files.length === 0 && prepared.linking === null ? Effect.void : noteLinks(sender, sent, prepared)
