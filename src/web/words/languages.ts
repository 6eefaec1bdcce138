/** The languages that there are texts in. */
import { de } from "./de.ts"
import { en } from "./en.ts"

type Loose<Value> = Value extends string
  ? string
  : Value extends (...args: infer Args) => string
    ? (...args: Args) => string
    : { readonly [Key in keyof Value]: Loose<Value[Key]> }

export type Words = Loose<typeof en>

const all: Readonly<Record<string, Words>> = { en, de }

/** `languages`: of the browser, the best first, as `de-AT`. */
export const wordsFor = (languages: ReadonlyArray<string>): Words => {
  for (const language of languages) {
    const found = all[language.split("-")[0]?.toLowerCase() ?? ""]
    if (found !== undefined) return found
  }
  return en
}
