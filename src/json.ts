/** The shape of any JSON value, as parameters, payloads and replies carry it. */
export type Json = string | number | boolean | null | ReadonlyArray<Json> | JsonObject
export interface JsonObject {
  readonly [key: string]: Json
}

/** Only for values with their keys in the same order, as this program or one shape makes them. */
export const isSameJson = (a: Json, b: Json): boolean => JSON.stringify(a) === JSON.stringify(b)

/** The fields that have a value. */
export const presentFields = (fields: Readonly<Record<string, Json | undefined>>): JsonObject =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])),
  )

/** Levels of lists and objects within each other. Real requests have four. */
const mostLevels = 32
/**
 * Lists and objects in a text, and keys of objects, unless its reader says otherwise: 100,000 of them take 60 ms to parse,
 * as many numbers 2 ms. Real requests have 500 objects with three keys each.
 */
const mostKeys = 2000

const quotationMark = 0x22
const colon = 0x3a
const openBracket = 0x5b
const backslash = 0x5c
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d

/** The index after the string that begins before `from`. */
const endOfString = (text: string, from: number): number => {
  let at = from
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === quotationMark) break
    if (code === backslash) at++
  }
  return at + 1
}

/**
 * Why a text would hold up everybody else while it is parsed; undefined if it would not. It looks at brackets and
 * colons only, so that it is fast where parsing is slow, and also if the text is not JSON at all.
 */
export const complexityFault = (text: string, mostParts = mostKeys): string | undefined => {
  let level = 0
  let containers = 0
  let keys = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === quotationMark) at = endOfString(text, at + 1) - 1
    else if (code === colon) keys++
    else if (code === closeBracket || code === closeBrace) level--
    else if (code === openBracket || code === openBrace) {
      containers++
      level++
      if (level > mostLevels) return "is nested too deeply"
    }
  }
  return containers > mostParts || keys > mostParts ? "has too many parts" : undefined
}

/** The value of a JSON text; undefined, which no JSON text is, where it does not parse. */
export const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** As parseJson, for a text from a client. One that is too complex counts as no JSON. */
export const parseForeignJson = (text: string): unknown =>
  complexityFault(text) === undefined ? parseJson(text) : undefined
