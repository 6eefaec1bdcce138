/**
 * The state of one rendering: the names, the mentions found so far, how deep in quotes it is, and the steps that it may
 * still take. Rules of the parser get it from markdown-it's environment, which is new for each rendering.
 */

import * as Predicate from "effect/Predicate"
import type { StateBlock, StateInline } from "markdown-it"
import type { GroupId, UserId } from "../../../../ids.ts"
import type { MarkdownNames } from "./markdown-names.ts"
import { mostPages, mostPreviews } from "./preview-sources.ts"
import type { Mentions } from "./rendered.ts"

/** Functions that cost too much for the server's own thread; given in the worker. */
export interface WorkerRenderers {
  /** HTML of a formula; null if it is none. */
  readonly math: (tex: string, display: boolean) => string | null
  /** HTML of highlighted code, without its frame; null: the language is not known. */
  readonly highlight: (code: string, language: string) => string | null
}

/** In a message. */
const mostEmoji = 1000

export class RenderContext {
  readonly names: MarkdownNames
  /** Null: formulas are shown as code, and code is not highlighted. */
  readonly extras: WorkerRenderers | null
  /** Number of quotes around. */
  quotes = 0
  readonly #users = new Set<UserId>()
  readonly #groups = new Set<GroupId>()
  #channelWildcard = false
  #topicWildcard = false
  readonly #previewed = new Set<string>()
  readonly #pages = new Set<string>()
  #emoji = 0
  #steps: number

  /** `steps`: see `spend`. */
  constructor(names: MarkdownNames, extras: WorkerRenderers | null, steps: number) {
    this.names = names
    this.extras = extras
    this.#steps = steps
  }

  mentionUser(id: UserId): void {
    this.#users.add(id)
  }
  mentionGroup(id: GroupId): void {
    this.#groups.add(id)
  }
  mentionChannel(): void {
    this.#channelWildcard = true
  }
  mentionTopic(): void {
    this.#topicWildcard = true
  }

  /** Whether one more emoji is shown as such: each takes 100 characters of HTML. Further ones stay as they are typed. */
  readonly takesEmoji = (): boolean => ++this.#emoji <= mostEmoji

  /** Whether what is at an address is shown here: once in a message, and not beyond the limit. */
  readonly takesPreview = (address: string): boolean => {
    if (this.#previewed.size >= mostPreviews || this.#previewed.has(address)) return false
    this.#previewed.add(address)
    return true
  }

  /** Notes a page whose preview may be fetched. False: there are too many, or it was noted before. */
  readonly notePage = (address: string): boolean => {
    if (this.#pages.size >= mostPages || this.#pages.has(address)) return false
    this.#pages.add(address)
    return true
  }

  get pages(): ReadonlyArray<string> {
    return [...this.#pages]
  }

  get mentions(): Mentions {
    return {
      users: [...this.#users],
      groups: [...this.#groups],
      channelWildcard: this.#channelWildcard,
      topicWildcard: this.#topicWildcard,
    }
  }

  /** Counts steps of what may take more than a few per character: searches of linkifiers. False: there are none left. */
  readonly spend = (steps: number): boolean => {
    this.#steps -= steps
    return this.#steps >= 0
  }

  /** Whether `spend` ever refused. */
  get isSpent(): boolean {
    return this.#steps < 0
  }
}

const key = "rendering"

export const environment = (context: RenderContext): Record<string, unknown> => ({ [key]: context })

export const contextOf = ({ env }: Pick<StateInline | StateBlock, "env">): RenderContext => {
  const context: unknown = Predicate.isObject(env) ? env[key] : undefined
  if (!(context instanceof RenderContext)) throw new Error("a text is rendered by render.ts only")
  return context
}
