/**
 * Texts of errors without the values that they quote, for the log: a database, a schema and a JSON parser quote what they were
 * given, which may be what somebody wrote in private.
 */

/** What stands in quotes after these words is a name of the program's own. */
const named =
  /\b(?:relation|column|constraint|table|index|type|function|schema|role|database|parameter|operator|job)\s*$/
/** A key in the path of a schema's issue: `at ["user"]["email"]`. */
const key = /^"[a-z_]{1,40}"$/
const quoted = /"(?:[^"\\]|\\.)*"/g
/** What a parser of JSON quotes may have quotes in it. */
const quotedJson = /"[\s\S]*"(?=(?:\.\.\.)? is not valid JSON)/
/** PostgreSQL does not say which quotes are of the value. */
const quotedInput = /(\binvalid input (?:syntax|value) for [^:"]*: )"[\s\S]*"/g
const longest = 2000

/** The value that PostgreSQL quotes, to the end: in a text that is cut its last quote may be missing. */
const openInput = /(\binvalid input (?:syntax|value) for [^:"]*: )"[\s\S]*$/

/** The beginning of a long text; a quotation that does not end in it is left out whole. */
const beginningOf = (text: string): string => {
  if (text.length <= longest) return text
  const cut = text.slice(0, longest).replace(openInput, '$1"…"')
  const last = [...cut.matchAll(quoted)].at(-1)
  const open = cut.indexOf('"', last === undefined ? 0 : last.index + last[0].length)
  return open < 0 ? cut : `${cut.slice(0, open)}"…"`
}

/** The text without what it quotes. */
export const withoutValues = (text: string): string =>
  beginningOf(text)
    .replace(/, got [^\n]*/g, ", got …")
    .replace(quotedJson, '"…"')
    .replace(quotedInput, '$1"…"')
    .replace(quoted, (value, at: number, whole: string) => {
      const isKey = whole[at - 1] === "[" && whole[at + value.length] === "]" && key.test(value)
      return isKey || named.test(whole.slice(0, at)) ? value : '"…"'
    })
