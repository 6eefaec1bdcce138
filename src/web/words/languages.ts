/** The languages that there are texts in. */
import { de } from "./de.ts"
import { en } from "./en.ts"

type LooseTexts<Value> = Value extends string
  ? string
  : Value extends (...args: infer Args) => string
    ? (...args: Args) => string
    : { readonly [Key in keyof Value]: LooseTexts<Value[Key]> }

export type PageTexts = LooseTexts<typeof en>

/** A text that is longer by a third, as it may be in another language. */
const stretched = (text: string): string => `${text} ${"~".repeat(Math.ceil(text.length / 3))}`

const stretchAll = (value: unknown): unknown => {
  if (typeof value === "string") return stretched(value)
  if (typeof value === "function") return (...args: ReadonlyArray<unknown>) => stretched(String(value(...args)))
  if (Array.isArray(value)) return value.map(stretchAll)
  return Object.fromEntries(Object.entries(Object(value)).map(([name, each]) => [name, stretchAll(each)]))
}

/**
 * English that runs from right to left in longer words: the language "en-XB" of whoever tests what a page makes of a language that
 * it does not have yet. Browsers and Android use the same name.
 */
const testLanguage = (): PageTexts => Object.assign(Object(stretchAll(en)), { language: "en", direction: "rtl" })

/** `languages`: of the browser, the best first, as `de-AT`. */
export const wordsFor = (languages: ReadonlyArray<string>): PageTexts => {
  for (const language of languages) {
    if (language === "en-XB") return testLanguage()
    const [name] = language.split("-")
    if (name === "de") return de
    if (name === "en") return en
  }
  return en
}
