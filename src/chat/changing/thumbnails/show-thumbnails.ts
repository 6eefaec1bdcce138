/** Shows messages anew whose pictures have become known: only those whose HTML changes by it. */
import * as Effect from "effect/Effect"
import { conflict, retryOnConflict } from "../../../conflict.ts"
import { Database } from "../../../db/database.ts"
import { UserReads } from "../../../db/reads.ts"
import type { MessageId, RealmId } from "../../../ids.ts"
import { findLinkedFiles } from "../../text/markdown/previews/linked-files-store.ts"
import { pendingPaths, placeThumbnails } from "../../text/markdown/previews/preview-html.ts"
import { rerender } from "../message-edits/rerender.ts"
import { findLinking, findShown } from "./thumbnails-store.ts"

/** A message that is edited so often meanwhile shows its pictures by its last edit. */
const mostRounds = 5

/** Shows a message with those of its pictures that are there by now. */
export const showMessage = Effect.fnUntraced(function* (realm: RealmId, message: MessageId) {
  const database = yield* Database
  const reads = yield* UserReads
  const attempt = Effect.gen(function* () {
    const shown = yield* findShown(database, realm, message)
    const paths = pendingPaths(shown?.rendered ?? "")
    if (shown === undefined || paths.size === 0) return
    const files = yield* findLinkedFiles(reads.begin(`thumbnails for realm ${realm}`), realm, paths)
    const { sender_id: sender, content, rendered: before } = shown
    const after = placeThumbnails(before, files)
    if (after === before) return
    // A refusal: it was changed meanwhile.
    return yield* Effect.catchTag(rerender(realm, { message, sender, content, before, after }), "ApiError", () =>
      Effect.succeed(conflict),
    )
  })
  yield* retryOnConflict(mostRounds, attempt, Effect.void)
})

/** Shows all messages that link a file. */
export const showLinking = Effect.fnUntraced(function* (realm: RealmId, file: number) {
  const database = yield* Database
  for (let after = 0; ; ) {
    const page = yield* findLinking(database, realm, file, after)
    for (const { id, is_waiting } of page) if (is_waiting) yield* showMessage(realm, id)
    const last = page.at(-1)
    if (last === undefined) return
    after = last.id
  }
})
