/** The texts in the reader's language: that of the browser, where there is one, and else English. */
import { type PageTexts, wordsFor } from "./languages.ts"

export const words: PageTexts = wordsFor(typeof navigator === "undefined" ? [] : navigator.languages)
