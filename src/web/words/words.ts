/** The texts in the reader's language: that of the browser, where there is one, and else English. */
import { type Words, wordsFor } from "./languages.ts"

export const words: Words = wordsFor(navigator.languages)
