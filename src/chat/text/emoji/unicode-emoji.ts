/**
 * The emoji of Unicode, by name, code and character. A code is what the API sends: the code points in lower-case hex,
 * joined by dashes, without the variation selector (`1f44d`, `0023-20e3`). Each name belongs to one emoji only: the
 * names that clients know come first (emoji-names.ts), then those of the data set. The tables are made once, when the
 * module is loaded (about 10 ms).
 */
import { gemoji } from "gemoji"
import { clientNames, newerEmoji } from "./emoji-names.ts"

export interface UnicodeEmoji {
  readonly code: string
  /** The name that is shown, in lower case with underscores. */
  readonly name: string
  /** Other names that mean it. */
  readonly aliases: ReadonlyArray<string>
  /** As people type it, with variation selectors where the emoji needs them. */
  readonly character: string
}

interface EmojiTables {
  readonly byName: ReadonlyMap<string, UnicodeEmoji>
  readonly byCode: ReadonlyMap<string, UnicodeEmoji>
  readonly elsewhere: ReadonlyMap<string, string>
}

/** The code of a character, whether there is such an emoji or not. */
export const emojiCode = (character: string): string =>
  Array.from(character, (one) => (one.codePointAt(0) ?? 0).toString(16).padStart(4, "0"))
    .filter((hex) => hex !== "fe0f")
    .join("-")

const characterOf = (code: string): string =>
  String.fromCodePoint(...code.split("-").map((hex) => Number.parseInt(hex, 16)))

/** Unicode's own name for it as a name of an emoji: "face with monocle" becomes `face_with_monocle`. */
const slug = (description: string): string =>
  description
    .normalize("NFD")
    .toLowerCase()
    .replace(/[\u0300-\u036f’]/gu, "")
    .replace(/[^a-z0-9]+/g, "_")
    .replace(/^_|_$/g, "")

/** Emoji of 2017 and later: clients call these what Unicode calls them. */
const isLate = (code: string): boolean =>
  /^1f9(?!1[0-79a-e]|2[0-7]|3[03-e]|4[0-579ab]|5[0-e]|8|9[01]|c0)|^1f(a|7e|6d[5-f]|6f[7-c]|91f)/.test(code)

const readTable = (table: string): ReadonlyArray<readonly [string, ReadonlyArray<string>]> =>
  table
    .trim()
    .split("\n")
    .map((line) => line.split(" "))
    .map(([code = "", ...names]) => [code, names])

const makeTables = (): EmojiTables => {
  const ours = new Map(readTable(clientNames))
  const names = new Map<string, Array<string>>()
  const characters = new Map<string, string>()
  for (const { emoji, names: short, description } of gemoji) {
    const code = emojiCode(emoji)
    const formal = slug(description)
    characters.set(code, emoji)
    names.set(code, [...(ours.get(code) ?? []), ...(isLate(code) ? [formal, ...short] : [...short, formal])])
  }
  for (const [code, given] of readTable(newerEmoji)) {
    if (names.has(code)) continue
    characters.set(code, characterOf(code))
    names.set(code, [...given])
  }
  // Whoever has a name earlier in its own list keeps it; the names that clients know before all others.
  const owners = new Map<string, string>()
  for (const [code, given] of ours) for (const name of given) owners.set(name, code)
  const most = Math.max(...Array.from(names.values(), (given) => given.length))
  for (let place = 0; place < most; place++) {
    for (const [code, given] of names) {
      const name = given[place]
      if (name !== undefined && !owners.has(name)) owners.set(name, code)
    }
  }
  const elsewhere = new Map<string, string>()
  for (const { emoji, names: short } of gemoji)
    for (const name of short) if (owners.get(name) !== emojiCode(emoji)) elsewhere.set(name, emoji)
  const byName = new Map<string, UnicodeEmoji>()
  const byCode = new Map<string, UnicodeEmoji>()
  for (const [code, given] of names) {
    const [name, ...aliases] = [...new Set(given)].filter((one) => owners.get(one) === code)
    if (name === undefined) continue
    const emoji = { code, name, aliases, character: characters.get(code) ?? "" }
    byCode.set(code, emoji)
    for (const one of [name, ...aliases]) byName.set(one, emoji)
  }
  return { byName, byCode, elsewhere }
}

const tables = makeTables()

export const findEmojiByName = (name: string): UnicodeEmoji | undefined => tables.byName.get(name)
export const findEmojiByCode = (code: string): UnicodeEmoji | undefined => tables.byCode.get(code)

/** The emoji that a whole text is, with variation selectors or without. One with a skin tone is not in the table. */
export const findEmojiByCharacter = (character: string): UnicodeEmoji | undefined =>
  findEmojiByCode(emojiCode(character))

/**
 * Names that clients of this API give to another emoji than the data set does, which has those of GitHub and GitLab, with the
 * characters that they are there: `x` is a red cross there, and a green one here.
 */
export const namesElsewhere: ReadonlyMap<string, string> = tables.elsewhere

/** All, in the data set's order. */
export const allEmoji = (): Iterable<UnicodeEmoji> => tables.byCode.values()
