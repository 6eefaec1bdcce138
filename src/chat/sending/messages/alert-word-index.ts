/**
 * The alert words of a realm's users: a message that contains one has the flag `has_alert_word` for them. All texts here
 * are as `fold` makes them. A word counts where no other word (word-boundary.ts) or underscore stands beside it; it may be
 * a phrase.
 *
 * A text is compared with the words of all users at once: at each place where a word may begin, the run of characters of
 * words there says which lengths of words are worth a look-up.
 */
import * as Schema from "effect/Schema"
import { idSchemas, type UserId } from "../../../ids.ts"
import { fold } from "../../ground/realm/domain-values.ts"
import { projectionPart } from "../../ground/realm/projection-part.ts"
import { isWordBehind } from "../../text/characters/word-boundary.ts"

const characterAt = (text: string, at: number): string => {
  const code = text.codePointAt(at)
  return code === undefined ? "" : String.fromCodePoint(code)
}

const isWithin = (character: string, isWordBefore: boolean): boolean =>
  character === "_" || isWordBehind(character, isWordBefore)

/** Whether what ends before a place goes on there. */
const goesOn = (text: string, at: number): boolean => at < text.length && isWithin(characterAt(text, at), true)

/** The most characters of a word. */
export const longestAlertWord = 100

/**
 * At a place where a word may begin: the whole run of characters of words, or one other. A run longer than the longest
 * word is cut, and equals none of them.
 */
const beginningAt = (text: string, at: number): string => {
  const first = characterAt(text, at)
  let end = at + first.length
  if (!isWithin(first, false)) return first
  while (end - at <= longestAlertWord && goesOn(text, end)) end += characterAt(text, end).length
  return text.slice(at, end)
}

type WordOwners = ReadonlySet<UserId>

const nobody: ReadonlyArray<WordOwners> = []
const noWords: ReadonlyArray<string> = []

export class AlertWords {
  readonly #ofUser = new Map<UserId, ReadonlyArray<string>>()
  readonly #owners = new Map<string, Set<UserId>>()
  /** By the beginning of a word: how many words there are of each length. */
  readonly #lengths = new Map<string, Map<number, number>>()

  /** In the order in which they were added, as they were typed. */
  of(user: UserId): ReadonlyArray<string> {
    return this.#ofUser.get(user) ?? noWords
  }

  users(): Iterable<UserId> {
    return this.#ofUser.keys()
  }

  get isEmpty(): boolean {
    return this.#ofUser.size === 0
  }

  set(user: UserId, words: ReadonlyArray<string>): void {
    for (const word of this.of(user)) this.#remove(fold(word), user)
    for (const word of words) this.#add(fold(word), user)
    if (words.length === 0) this.#ofUser.delete(user)
    else this.#ofUser.set(user, words)
  }

  /**
   * For each place of a folded text at which a word may begin: whose words begin there, each word only at its first
   * place. A step looks up at most as many texts as there are lengths of words, 100.
   */
  *ownersIn(text: string): Generator<ReadonlyArray<WordOwners>> {
    if (this.#owners.size === 0) return
    const seen = new Set<string>()
    let isWord = false
    for (let at = 0; at < text.length; ) {
      if (!isWord) {
        const lengths = this.#lengths.get(beginningAt(text, at))
        yield lengths === undefined ? nobody : this.#wordsAt(text, at, lengths, seen)
      }
      const character = characterAt(text, at)
      isWord = isWithin(character, isWord)
      at += character.length
    }
  }

  #wordsAt(
    text: string,
    at: number,
    lengths: ReadonlyMap<number, number>,
    seen: Set<string>,
  ): ReadonlyArray<WordOwners> {
    const found: Array<WordOwners> = []
    for (const length of lengths.keys()) {
      if (goesOn(text, at + length)) continue
      const word = text.slice(at, at + length)
      const owners = this.#owners.get(word)
      if (owners === undefined || seen.has(word)) continue
      seen.add(word)
      found.push(owners)
    }
    return found
  }

  #add(word: string, user: UserId): void {
    const owners = this.#owners.get(word)
    if (owners !== undefined) {
      owners.add(user)
      return
    }
    this.#owners.set(word, new Set([user]))
    const start = beginningAt(word, 0)
    const lengths = this.#lengths.get(start) ?? new Map<number, number>()
    this.#lengths.set(start, lengths)
    lengths.set(word.length, (lengths.get(word.length) ?? 0) + 1)
  }

  #remove(word: string, user: UserId): void {
    const owners = this.#owners.get(word)
    owners?.delete(user)
    if (owners === undefined || owners.size > 0) return
    this.#owners.delete(word)
    const start = beginningAt(word, 0)
    const lengths = this.#lengths.get(start)
    const left = (lengths?.get(word.length) ?? 1) - 1
    if (left > 0) lengths?.set(word.length, left)
    else lengths?.delete(word.length)
    if (lengths?.size === 0) this.#lengths.delete(start)
  }
}

/** All who have one of the words, for each of them. */
const plainOwners = (words: AlertWords, text: string) =>
  [...words.ownersIn(fold(text))].flatMap((sets) => sets.map((owners) => [...owners].sort((a, b) => a - b)))

export const alertWords = projectionPart({
  name: "alert_words",
  load: "load_alert_words_v1",
  /** [user, words] */
  stored: Schema.Array(Schema.Tuple([idSchemas.user, Schema.Array(Schema.String)])),
  empty: () => new AlertWords(),
  fill: (words, stored) => {
    for (const [user, own] of stored) words.set(user, own)
  },
  plain: (words) =>
    [...words.users()]
      .sort((a, b) => a - b)
      .map((user) => [user, words.of(user), plainOwners(words, words.of(user).join(", "))]),
})
