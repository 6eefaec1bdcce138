/** The texts of random messages: few words, of which it is known which mean the same to a search, and what they contain. */
import type { Random } from "../../../../events/model/random.ts"
import type { Parts } from "./world.ts"

/** Each with another form that has the same stem. */
const forms = [
  ["fox", "foxes"],
  ["river", "rivers"],
  ["lantern", "lanterns"],
  ["climb", "climbing"],
] as const
const stems = new Map<string, string>(
  forms.flatMap(
    ([stem, other]) =>
      [
        [stem, stem],
        [other, stem],
      ] as const,
  ),
)
const words = forms.flat()
/** The index leaves it out: alone, it is looked for as it is. */
const ignored = "the"

/** Whether a word stands in one of the texts, in this form. */
export const standsIn = (texts: ReadonlyArray<string>, word: string): boolean =>
  texts.some((text) => new RegExp(`\\b${word}\\b`, "i").test(text))

export const wordsOf = (text: string): ReadonlySet<string> =>
  new Set((text.toLowerCase().match(/[a-z]+/g) ?? []).flatMap((word) => stems.get(word) ?? []))

export const partsOf = (content: string): Parts => ({
  link: content.includes("https://") || content.includes("/user_uploads/"),
  image: content.includes(".png"),
  attachment: content.includes("/user_uploads/"),
})

export const topics = ["fox hunt", "Fox Hunt", "rivers", "✔ rivers", "", "plans"] as const

/** `users` and `files`: what it may mention and link. */
export const someText = (random: Random, users: ReadonlyArray<string>, files: ReadonlyArray<string>): string => {
  const parts: Array<string> = random
    .some([...words, ignored], 0.3)
    .map((word) => (random.chance(0.3) ? word.toUpperCase() : word))
  if (random.chance(0.15)) parts.push("https://parley.example/a")
  if (random.chance(0.1)) parts.push("https://parley.example/a.png")
  if (random.chance(0.25) && users.length > 0) parts.push(`@**${random.pick(users)}**`)
  if (random.chance(0.2) && files.length > 0) parts.push(`[f](${random.pick(files)})`)
  return parts.length === 0 ? "nothing" : parts.join(" ")
}

/** The text that a search wants: stems, and phrases letter by letter. null: a search for what the index leaves out. */
export interface Sought {
  readonly operand: string
  readonly stems: ReadonlyArray<string>
  readonly phrases: ReadonlyArray<string>
}

export const someSearch = (random: Random): Sought | null => {
  if (random.chance(0.05)) return null
  const plain = random.chance(0.7) ? [random.pick(words)] : []
  const phrase =
    plain.length === 0 || random.chance(0.3)
      ? [random.pick(words), ...(random.chance(0.5) ? [random.pick(words)] : [])]
      : []
  // It may begin and end within a word.
  const whole = phrase.join(" ")
  const cut = random.chance(0.3) ? 1 : 0
  const quoted = whole.slice(cut, random.chance(0.3) ? -1 : undefined)
  const stemsOf = plain.flatMap((word) => stems.get(word) ?? [])
  return {
    operand: [...plain, ...(quoted === "" ? [] : [`"${quoted}"`])].join(" "),
    stems: stemsOf,
    phrases: quoted === "" ? [] : [quoted],
  }
}
export const leftOut = ignored
