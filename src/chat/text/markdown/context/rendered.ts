/**
 * The source that a message is rendered from, and the result: its HTML and whom it mentions. The HTML holds no other
 * tags, attributes and addresses than the renderer makes itself. Mentions in quotes and code, silent ones, and those of
 * deactivated users and groups notify nobody, so they are not listed. Whether the sender may mention a group or
 * everybody is for the sender of the message to check (messages/send-message.ts).
 */
import type { GroupId, UserId } from "../../../../ids.ts"
import type { MarkdownNames } from "./markdown-names.ts"

export interface RenderJob {
  readonly content: string
  readonly names: MarkdownNames
}

export interface Mentions {
  /** Each once, in the order in which they are mentioned first. */
  readonly users: ReadonlyArray<UserId>
  /** Likewise. */
  readonly groups: ReadonlyArray<GroupId>
  /** `@**all**` and its synonyms: everybody in the channel or conversation. */
  readonly channelWildcard: boolean
  /** `@**topic**`: everybody who takes part in the topic. */
  readonly topicWildcard: boolean
}

export interface Rendered {
  readonly html: string
  readonly mentions: Mentions
  /** The addresses of pages that it links, each once, whose previews may be shown when they are known. */
  readonly pages: ReadonlyArray<string>
}

export const noMentions: Mentions = { users: [], groups: [], channelWildcard: false, topicWildcard: false }
