/**
 * An administrator's linkifier: a pattern, whose matches in messages and topics become links, and a template (RFC 6570)
 * that makes the address from the pattern's named groups. Patterns are compiled by RE2, which takes time in proportion
 * to the text whatever the pattern, and has neither look-around nor back-references. Checked when a linkifier is
 * written (`linkifierFault`), compiled where text is rendered (`compileLinkifier`).
 */
import * as Predicate from "effect/Predicate"
import { RE2JS } from "re2js"
import { parseTemplate } from "url-template"
import { beforeInRe2, behindInRe2 } from "../characters/word-boundary.ts"
import { isMuchWork } from "./pattern-work.ts"
import { beginsSafely, namesOf, unsafeBeginning } from "./url-templates.ts"

/** As clients know it. */
export interface Linkifier {
  readonly id: number
  readonly pattern: string
  readonly url_template: string
}

/** A match: where it stands in the text, and the address that its template gives. */
export interface LinkifierMatch {
  readonly start: number
  readonly end: number
  readonly url: string
}

/** Longer patterns are refused before they are looked at: to compile one of 1,000 characters takes some milliseconds. */
const longestPattern = 1000
/** Steps per character of text: one of 26 µs per character had 1,000. */
const largestProgram = 200
const longestTemplate = 1000
const longestUrl = 2000

/**
 * No word goes on beside a match: "#12" is not found within "a#12" or "#123". The group is named so that no
 * administrator's group is called the same.
 */
const matched = "parley__matched"
const between = (pattern: string): string => `${beforeInRe2}(?P<${matched}>${pattern})${behindInRe2}`

/** The place of the last character before another place. */
const lastBefore = (text: string, at: number): number =>
  at - (/[\udc00-\udfff]/.test(text.charAt(at - 1)) && /[\ud800-\udbff]/.test(text.charAt(at - 2)) ? 2 : 1)

const compile = (pattern: string): RE2JS | string => {
  try {
    return RE2JS.compile(pattern)
  } catch (error) {
    const reason = Predicate.isError(error) ? error.message.replace(/^error parsing regexp: /, "") : ""
    return `Bad regular expression: ${reason.slice(0, 200)}`
  }
}

const tooComplex = "The pattern is too complex: use fewer or smaller repetitions and classes of characters"

/** The fault of a linkifier, as a text for the administrator; undefined if it has none. */
export const linkifierFault = (pattern: string, template: string): string | undefined => {
  if (pattern === "") return "The pattern is empty"
  if (pattern.length > longestPattern) return `The pattern is too long (limit: ${longestPattern} characters)`
  if (template.length > longestTemplate) return `The URL template is too long (limit: ${longestTemplate} characters)`
  if (isMuchWork(pattern, largestProgram)) return tooComplex
  const alone = compile(pattern)
  if (Predicate.isString(alone)) return alone
  if (alone.programSize() > largestProgram) return tooComplex
  if (alone.test("")) return "The pattern matches the empty text"
  const whole = compile(between(pattern))
  if (Predicate.isString(whole)) return whole
  if (whole.programSize() > largestProgram) return tooComplex
  if (!beginsSafely(template)) return unsafeBeginning
  const names = namesOf(template)
  if (names === undefined) return "Invalid URL template"
  const groups = Object.keys(alone.namedGroups())
  const unknown = names.find((name) => !groups.includes(name))
  if (unknown !== undefined) return `Group '${unknown}' in the URL template is not in the pattern`
  const unused = groups.find((name) => !names.includes(name))
  return unused === undefined ? undefined : `Group '${unused}' in the pattern is not in the URL template`
}

export interface CompiledLinkifier {
  /**
   * The matches in a text from left to right, which do not overlap. Before each search `spend` is asked for the steps
   * that it may take at most; where it refuses, the search ends with what was found: a pattern may look at all the rest
   * of the text for each of its matches.
   */
  readonly matches: (text: string, spend: (steps: number) => boolean) => ReadonlyArray<LinkifierMatch>
}

/** Undefined for one that `linkifierFault` refuses: stored ones were accepted once, perhaps by an older program. */
export const compileLinkifier = ({ pattern, url_template }: Linkifier): CompiledLinkifier | undefined => {
  if (linkifierFault(pattern, url_template) !== undefined) return undefined
  const program = RE2JS.compile(between(pattern))
  const groups = Object.keys(program.namedGroups()).filter((name) => name !== matched)
  const template = parseTemplate(url_template)
  const cost = program.programSize()
  const matches = (text: string, spend: (steps: number) => boolean): ReadonlyArray<LinkifierMatch> => {
    const found: Array<LinkifierMatch> = []
    const matcher = program.matcher(text)
    // Each search begins with the last character of the match before: it may be what stands before the next one.
    for (let from = 0; from < text.length && spend((text.length - from) * cost) && matcher.find(from); ) {
      const [start, end] = [matcher.start(matched), matcher.end(matched)]
      const values = Object.fromEntries(groups.map((name) => [name, matcher.group(name)]))
      const url = template.expand(values)
      if (end > start && url.length <= longestUrl && URL.canParse(url)) found.push({ start, end, url })
      from = Math.max(lastBefore(text, end), from + 1)
    }
    return found
  }
  return { matches }
}
