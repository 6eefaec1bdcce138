/**
 * Saved snippets: texts that a user keeps to send again (contract 2.19, spec 19, 20). Nobody but their owner sees them.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { type Caller, data, nothing, userEndpoint } from "../../../api/endpoint.ts"
import { badRequest, notThere } from "../../../api/errors.ts"
import { check, id, optional, requireLength, trimmed } from "../../../api/params.ts"
import { Config } from "../../../config/config.ts"
import { change, done, refused } from "../../../events/command.ts"
import { findStored } from "../../ground/kinds/section-store.ts"
import { badCharacterAt, isInvisible } from "../../ground/realm/values.ts"
import { requireAccount } from "../../ground/requester/requester.ts"
import { overtaken, submitAs, submitWithRecord } from "../../ground/requester/submit.ts"
import { Id } from "../../ground/wire/wire-values.ts"
import { mostSnippets, readSnippets, SnippetId, savedSnippetsSection, snippetRow } from "./saved-snippet-event.ts"

const gone = refused(notThere("Saved snippet does not exist."))
const full = refused(badRequest(`You can save at most ${mostSnippets} snippets.`))

const snippetId = id("saved_snippet_id", SnippetId)
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

const loadAll = ({ realm, user }: Caller) => findStored(savedSnippetsSection, realm, user)

const getSavedSnippets = userEndpoint({
  method: "GET",
  path: "/saved_snippets",
  summary: "The requester's saved snippets, oldest first.",
  params: {},
  reply: Schema.Struct(savedSnippetsSection.keys),
  errors: [],
  run: Effect.fnUntraced(function* (caller) {
    yield* requireAccount(caller)
    return data(savedSnippetsSection.read(yield* loadAll(caller)))
  }),
})

const postSavedSnippets = userEndpoint({
  method: "POST",
  path: "/saved_snippets",
  summary: "Saves a snippet.",
  params: { title, content },
  reply: Schema.Struct({ saved_snippet_id: Id }),
  errors: [],
  run: Effect.fnUntraced(function* (caller, { title, content: raw }) {
    const row = snippetRow(caller.user, { op: "add", title, content: yield* requireContent(raw) })
    const saved_snippet_id = yield* submitAs(caller, () =>
      change([row], { answer: ([position]) => position ?? null, refused: { full } }),
    )
    return data({ saved_snippet_id })
  }),
})

const patchSavedSnippet = userEndpoint({
  method: "PATCH",
  path: "/saved_snippets/{saved_snippet_id:int}",
  summary: "Changes a saved snippet's title or content.",
  params: { snippetId, title: optional(title), content: optional(content) },
  reply: nothing,
  errors: [],
  run: Effect.fnUntraced(function* (caller, { snippetId, title, content: raw }) {
    const content = raw === undefined ? undefined : yield* requireContent(raw)
    yield* submitWithRecord(caller, Effect.map(loadAll(caller), readSnippets), (snippets) => {
      const known = snippets.find((each) => each.id === snippetId)
      if (known === undefined) return gone
      const { version: based_on, ...before } = known
      const after = { ...before, title: title ?? before.title, content: content ?? before.content }
      if (after.title === before.title && after.content === before.content) return done(undefined)
      return change<undefined | typeof overtaken>([snippetRow(caller.user, { op: "update", ...after, based_on })], {
        answer: () => undefined,
        refused: { gone, overtaken: done(overtaken) },
      })
    })
    return data()
  }),
})

const deleteSavedSnippet = userEndpoint({
  method: "DELETE",
  path: "/saved_snippets/{saved_snippet_id:int}",
  summary: "Removes a saved snippet.",
  params: { snippetId },
  reply: nothing,
  errors: [],
  run: Effect.fnUntraced(function* (caller, { snippetId }) {
    const row = snippetRow(caller.user, { op: "remove", id: snippetId })
    yield* submitAs(caller, () => change([row], { answer: () => undefined, refused: { gone } }))
    return data()
  }),
})

export const savedSnippetEndpoints = [getSavedSnippets, postSavedSnippets, patchSavedSnippet, deleteSavedSnippet]
