/**
 * The service to which messages that link pages are handed once they have been committed: what the pages say of
 * themselves is shown later. Implemented by page-previews.
 */
import * as Context from "effect/Context"
import type { MessageId, RealmId, UserId } from "../../../../ids.ts"
import type { RenderJob } from "../context/rendered.ts"

/** A message's content as it was rendered. */
export interface LinkingText {
  readonly job: RenderJob
  readonly html: string
  /** The addresses of the pages. */
  readonly pages: ReadonlyArray<string>
}

export interface LinkedPagesShape {
  /** Returns at once. Nothing is promised: what is too much is dropped. */
  readonly note: (realm: RealmId, sender: UserId, message: MessageId, text: LinkingText) => void
}

export class LinkedPages extends Context.Service<LinkedPages, LinkedPagesShape>()("parley/chat/LinkedPages") {}
