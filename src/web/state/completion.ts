/** What is offered while one types `@name`, `#channel` or `:emoji:`, and what the text is with the choice in it. */
import type { PageState } from "./model.ts"

export interface CompletionOffer {
  readonly key: string
  readonly label: string
  readonly hint: string
  /** What stands in the text in place of what was typed. */
  readonly text: string
  readonly glyph: string
  readonly url?: string | undefined
}

export interface CompletionQuery {
  readonly sign: "@" | "#" | ":"
  readonly words: string
  /** Where the sign is. */
  readonly from: number
}

export interface EmojiName {
  readonly name: string
  readonly code: string
  /** Of the picture, where it is one of the organization's own. */
  readonly url?: string
}

/** The organization's own emoji, which may be used. */
export const ownEmoji = (state: Pick<PageState, "emoji">): ReadonlyArray<EmojiName> =>
  [...state.emoji.values()]
    .filter(({ deactivated }) => !deactivated)
    .map(({ id, name, source_url: url }) => ({ name, code: `own ${id}`, url }))

const most = 8
const question = /(?:^|[\s(])([@#:])([\p{L}\p{N}_+\-.]*(?: [\p{L}\p{N}]+)?)$/u

/** What is asked at the caret; null where nothing is. */
export const questionAt = (text: string, caret: number): CompletionQuery | null => {
  const found = question.exec(text.slice(0, caret))
  const [, sign = "", words = ""] = found ?? []
  if (sign !== "@" && sign !== "#" && sign !== ":") return null
  if (sign === ":" && words.length < 2) return null
  return { sign, words: words.toLowerCase(), from: caret - words.length - 1 }
}

/** 0: not at all; what begins with the words comes before what has them somewhere. */
const rank = (name: string, words: string): number => {
  const folded = name.toLowerCase()
  if (folded.startsWith(words)) return 3
  return folded.split(/[\s_-]+/).some((part) => part.startsWith(words)) ? 2 : 0
}

const best = <Item>(items: Iterable<Item>, nameOf: (item: Item) => string, words: string): ReadonlyArray<Item> =>
  [...items]
    .map((item) => ({ item, rank: rank(nameOf(item), words) }))
    .filter(({ rank }) => rank > 0)
    .sort((a, b) => b.rank - a.rank || nameOf(a.item).length - nameOf(b.item).length)
    .slice(0, most)
    .map(({ item }) => item)

/** What is offered is among these. */
type CompletionSources = Pick<PageState, "people" | "groups" | "channels" | "emoji">

const personOffers = (state: CompletionSources, words: string): ReadonlyArray<CompletionOffer> => {
  const people = [...state.people.values()].filter(({ isActive }) => isActive)
  const names = new Map<string, number>()
  for (const { name } of people) names.set(name, (names.get(name) ?? 0) + 1)
  const groups = [...state.groups.values()].filter(
    ({ is_system_group, deactivated }) => !is_system_group && !deactivated,
  )
  return [
    ...best(people, ({ name }) => name, words).map(({ id, name, email }) => ({
      key: `person ${id}`,
      label: name,
      hint: email,
      text: (names.get(name) ?? 0) > 1 ? `@**${name}|${id}** ` : `@**${name}** `,
      glyph: "",
    })),
    ...best(groups, ({ name }) => name, words).map(({ id, name, description }) => ({
      key: `group ${id}`,
      label: name,
      hint: description,
      text: `@*${name}* `,
      glyph: "",
    })),
    ...best(["all"], (name) => name, words).map((name) => ({
      key: name,
      label: name,
      hint: "",
      text: "@**all** ",
      glyph: "",
    })),
  ].slice(0, most)
}

export const offersFor = (
  state: CompletionSources,
  { sign, words }: CompletionQuery,
  emoji: ReadonlyArray<EmojiName>,
  glyphOf: (code: string) => string,
): ReadonlyArray<CompletionOffer> => {
  if (sign === "@") return personOffers(state, words)
  if (sign === "#")
    return best(
      [...state.channels.values()].filter(({ isArchived }) => !isArchived),
      ({ name }) => name,
      words,
    ).map(({ id, name, description }) => ({
      key: `channel ${id}`,
      label: name,
      hint: description,
      text: `#**${name}** `,
      glyph: "#",
    }))
  return best([...ownEmoji(state), ...emoji], ({ name }) => name, words).map(({ name, code, url }) => ({
    key: `emoji ${code} ${name}`,
    label: name,
    hint: "",
    text: `:${name}: `,
    glyph: url === undefined ? glyphOf(code) : "",
    url,
  }))
}

export const complete = (text: string, caret: number, { from }: CompletionQuery, offer: CompletionOffer) => ({
  text: text.slice(0, from) + offer.text + text.slice(caret),
  caret: from + offer.text.length,
})
