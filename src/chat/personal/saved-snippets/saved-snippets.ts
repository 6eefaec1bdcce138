/** Saved snippets: texts that a user keeps to send again. Nobody but their owner sees them. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { dataReply, noFields, userEndpoint } from "../../../api/endpoint.ts"
import { check, id, optional, requireLength, trimmed } from "../../../api/params.ts"
import { Config } from "../../../config/config.ts"
import { addOwn, updateOwn } from "../../ground/own-lists/own-list-changes.ts"
import { ownEndpoints } from "../../ground/own-lists/own-list-endpoints.ts"
import { badCharacterAt, isInvisible } from "../../ground/realm/domain-values.ts"
import { Id } from "../../ground/wire/wire-values.ts"
import { savedSnippets } from "./saved-snippet-event.ts"

const snippetId = id("saved_snippet_id", Number)
const title = check(trimmed("title", { min: 1, max: 60 }), (text) => {
  if (isInvisible(text)) return "title cannot be blank"
  return badCharacterAt(text) === undefined ? undefined : "title has invalid format"
})
const content = trimmed("content", { min: 1 })

/** Refuses a content that is longer than a message may be, which the server's configuration says. */
const requireContent = (content: string) =>
  Effect.flatMap(Config, ({ limits }) =>
    Effect.fromResult(requireLength("content", content, { max: limits.maxMessageLength })),
  )

const postSavedSnippets = userEndpoint({
  method: "POST",
  path: "/saved_snippets",
  fresh: "onRefusal",
  summary: "Saves a snippet.",
  params: { title, content },
  reply: Schema.Struct({ saved_snippet_id: Id }),
  errors: [],
  run: Effect.fnUntraced(function* (caller, { params: { title, content: raw } }) {
    const snippet = { title, content: yield* requireContent(raw) }
    const [saved_snippet_id = null] = yield* addOwn(savedSnippets, caller, () => Result.succeed([snippet]))
    return dataReply({ saved_snippet_id })
  }),
})

const patchSavedSnippet = userEndpoint({
  method: "PATCH",
  path: "/saved_snippets/{saved_snippet_id:int}",
  fresh: "onRefusal",
  summary: "Changes a saved snippet's title or content.",
  params: { snippetId, title: optional(title), content: optional(content) },
  reply: noFields,
  errors: [],
  run: Effect.fnUntraced(function* (caller, { params: { snippetId, title, content: raw } }) {
    const content = raw === undefined ? undefined : yield* requireContent(raw)
    yield* updateOwn(
      savedSnippets,
      caller,
      snippetId,
      (before) => () => Result.succeed({ title: title ?? before.title, content: content ?? before.content }),
    )
    return dataReply()
  }),
})

const listAndRemoval = ownEndpoints(savedSnippets, {
  path: "/saved_snippets",
  summaries: { list: "The requester's saved snippets, oldest first.", remove: "Removes a saved snippet." },
})

export const savedSnippetEndpoints = [...listAndRemoval, postSavedSnippets, patchSavedSnippet]
