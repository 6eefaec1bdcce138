/** Who and what GitHub's events are about, as words and links. */
import { bold, link, topicOf, words } from "../markup.ts"
import { either, textAt } from "../payload.ts"
import { withTheirEmoji } from "../quote.ts"

export const who = (payload: unknown): string => bold(either(textAt(payload, "sender", "login"), "someone"))

export const repository = (payload: unknown): string => textAt(payload, "repository", "name")

/** The repository, or whose web hook it is. */
export const place = (payload: unknown): string =>
  either(repository(payload), textAt(payload, "organization", "login"), textAt(payload, "enterprise", "name"))

/** Its full name as a link. */
export const repositoryLink = (repository: unknown): string =>
  link(either(textAt(repository, "full_name"), textAt(repository, "name")), textAt(repository, "html_url"))

export const personLink = (person: unknown): string =>
  link(either(textAt(person, "login"), "someone"), textAt(person, "html_url"))

const numbered = (thing: unknown): string => (textAt(thing, "number") === "" ? "" : `#${textAt(thing, "number")}`)

/** `repository / issue #5 title` */
export const topicAbout = (payload: unknown, kind: string, thing: unknown): string =>
  topicOf(repository(payload), words(kind, numbered(thing), textAt(thing, "title")))

/** `issue [#5 title](…)` */
export const linkTo = (thing: unknown, kind: string): string =>
  words(kind, link(words(numbered(thing), withTheirEmoji(textAt(thing, "title"))), textAt(thing, "html_url")))
