/**
 * Texts of messages: what they say of people, and whom they mark by that. A text is made of pieces that mean one thing
 * each, so that nothing here has to read Markdown.
 */
import type { Random } from "../../../../events/model/random.ts"
import { type Person, people } from "./people.ts"

const alertWords = ["skull", "bone"] as const
export type AlertWord = (typeof alertWords)[number]
export const group = "guard"

export interface Says {
  readonly names: ReadonlySet<Person>
  /** The one group (`group`). */
  readonly group: boolean
  /** Everybody who receives it. */
  readonly all: boolean
  /** Those who took part in the topic. */
  readonly topic: boolean
  readonly words: ReadonlySet<AlertWord>
}

/** Pieces that mark nobody: silent mentions, code, and a word that only begins like an alert word. */
const silent = ["@_**hamlet**", "`@**all**`", `@_*${group}*`, "`@**topic**`", "skulls", "@_**topic**", "x"]

export const randomSays = (random: Random): Says => {
  const isPlain = random.chance(0.4)
  const chance = (share: number) => !isPlain && random.chance(share)
  return {
    names: new Set(people.filter(() => chance(0.25))),
    group: chance(0.25),
    all: chance(0.2),
    topic: chance(0.25),
    words: new Set(alertWords.filter(() => chance(0.25))),
  }
}

/** `n` makes it another text than those before. */
export const textOf = (says: Says, random: Random, n: number): string =>
  [
    `${n}`,
    random.pick(silent),
    ...[...says.names].map((name) => `@**${name}**`),
    ...(says.group ? [`@*${group}*`] : []),
    ...(says.all ? [random.pick(["@**all**", "@**everyone**", "@**channel**"])] : []),
    ...(says.topic ? ["@**topic**"] : []),
    // Case does not count, and code is looked at like other text.
    ...[...says.words].map((word) => random.pick([word, word.toUpperCase(), `\`${word}\``, `(${word})`])),
    random.pick(silent),
  ].join(" ")

/** Members of the group, and the alert words of each: what counts is how it was when a text was sent or edited. */
export class Attention {
  readonly members = new Set<Person>()
  readonly #words = new Map<Person, Set<AlertWord>>(people.map((each) => [each, new Set()]))

  wordsOf(who: Person): Set<AlertWord> {
    const words = this.#words.get(who)
    if (words === undefined) throw new Error(`${who} has no words`)
    return words
  }

  /** One of somebody's words, which they have from now on, or have no more. */
  toggle(who: Person, random: Random): readonly [word: AlertWord, isNew: boolean] {
    const word = random.pick(alertWords)
    const words = this.wordsOf(who)
    const isNew = !words.delete(word)
    if (isNew) words.add(word)
    return [word, isNew]
  }

  /** The flags that a text gives somebody whom it may mark, beside those of their name. */
  marks(says: Says, who: Person, isParticipant: boolean): ReadonlyArray<string> {
    const { all } = says
    const topic = says.topic && isParticipant
    return [
      ...(says.group && this.members.has(who) ? ["mentioned"] : []),
      ...(all ? ["stream_wildcard_mentioned"] : []),
      ...(topic ? ["topic_wildcard_mentioned"] : []),
      ...(all || topic ? ["wildcard_mentioned"] : []),
      ...([...says.words].some((word) => this.wordsOf(who).has(word)) ? ["has_alert_word"] : []),
    ]
  }
}
