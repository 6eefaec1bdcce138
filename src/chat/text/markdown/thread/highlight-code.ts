/**
 * Highlighted code, by highlight.js, with the short class names of Pygments that clients have styles for. Runs in the
 * renderer's worker only: a grammar may take long for code that is made for it.
 */
import { createRequire } from "node:module"
import { grammars } from "../rules/code-languages.ts"

/** The part of highlight.js that is used. Its own types would bring those of browsers to the whole program. */
interface Highlighter {
  readonly getLanguage: (id: string) => object | undefined
  readonly registerLanguage: (id: string, grammar: object) => void
  readonly highlight: (
    code: string,
    options: { readonly language: string; readonly ignoreIllegals: boolean },
  ) => { readonly value: string }
}

const require = createRequire(import.meta.url)
const hljs: Highlighter = require("highlight.js/lib/core")

/** By the first two parts of highlight.js' name; a part may be missing. */
const classes: ReadonlyMap<string, string> = new Map(
  `keyword k|built_in nb|type kt|literal kc|number mi|operator o|punctuation p|property na|regexp sr|string s2
char se|subst si|symbol ss|variable nv|variable language_ bp|variable constant_ no|title nf|title class_ nc
title function_ nf|comment c1|doctag cs|meta cp|section gh|tag p|name nt|attr na|attribute na|bullet kn|code s
emphasis ge|strong gs|quote s|link nl|selector-tag nt|selector-id nn|selector-class nc|selector-attr na
selector-pseudo nd|template-tag cp|template-variable nv|addition gi|deletion gd|prompt gp`
    .split(/[|\n]/)
    .map((line): readonly [string, string] => {
      const at = line.lastIndexOf(" ")
      return [line.slice(0, at), line.slice(at + 1)]
    }),
)

/** The exact kind of a span, as its text tells. */
const refine = (name: string, text: string): string => {
  if (name === "mi") return /^0[xX]/.test(text) ? "mh" : /[.eE]/.test(text) ? "mf" : name
  if (name === "s2") return /^[a-z]{0,2}&#x27;/i.test(text) ? "s1" : name
  if (name === "c1") return /^\/\*|^&lt;!--/.test(text) ? "cm" : name
  return name === "cp" && /^@/.test(text) ? "nd" : name
}

const classFor = (given: string, text: string): string | undefined => {
  const [first = "", second = ""] = given.split(" ")
  const name = first.replace(/^hljs-/, "")
  const found = classes.get(`${name} ${second}`) ?? classes.get(name)
  return found === undefined ? undefined : refine(found, text)
}

/** highlight.js writes nothing but escaped text and such spans. Spans without a class of ours are left out. */
const translate = (html: string): string => {
  const kept: Array<boolean> = []
  return html.replace(/<span class="([^"]*)">|<\/span>/g, (whole: string, given: string | undefined, at: number) => {
    if (given === undefined) return kept.pop() === true ? whole : ""
    const name = classFor(given, html.slice(at + whole.length, at + whole.length + 10))
    kept.push(name !== undefined)
    return name === undefined ? "" : `<span class="${name}">`
  })
}

/** Loads a grammar, if it is one of the known ones; some load others that they hold parts of. */
const load = (id: string): boolean => {
  if (!grammars.has(id)) return false
  if (hljs.getLanguage(id) === undefined) {
    const grammar: object = require(`highlight.js/lib/languages/${id}`)
    hljs.registerLanguage(id, grammar)
  }
  return true
}

/** HTML of code; null for a grammar that is not known. */
export const highlightCode = (code: string, id: string): string | null =>
  load(id) ? translate(hljs.highlight(code, { language: id, ignoreIllegals: true }).value) : null
