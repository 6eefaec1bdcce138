/**
 * Links, `[text](address "title")`, and web addresses as they stand in a text. Rules of markdown-it. An address that may
 * not be a link leaves the whole of it text.
 */
import type { StateInline } from "markdown-it"
import { endOfAddress, endsAddress, withoutTrailing } from "../../characters/address-end.ts"
import { type BracketPairs, pairsIn } from "../../characters/brackets.ts"
import { decodeEntities, entityAt } from "../../characters/entities.ts"
import { contextOf } from "../context/render-context.ts"
import { isLinked, longestAddress, readDestination, relativeTo } from "./web-addresses.ts"

const bracket = 0x5b
const colon = 0x3a

/** For each opening bracket its closing one. Found in one pass, so that thousands of brackets take no longer. */
const pairs = new WeakMap<StateInline, ReadonlyMap<number, number>>()

const pairsOf = (state: StateInline): ReadonlyMap<number, number> => {
  const known = pairs.get(state)
  if (known !== undefined) return known
  const found = new Map<number, number>()
  const open: Array<number> = []
  for (const { 0: character, index } of state.src.matchAll(/[[\]]/g)) {
    if (character === "[") open.push(index)
    else {
      const start = open.pop()
      if (start !== undefined) found.set(start, index)
    }
  }
  pairs.set(state, found)
  return found
}

const title = /\s+(?:"([^"\n]{0,500})"|'([^'\n]{0,500})')\s*\)/y
const close = /\s*\)/y

interface Destination {
  readonly address: string
  readonly title: string
  /** Behind the closing parenthesis. */
  readonly end: number
}

/** The end of the address that begins at a place: at a space, or a parenthesis that was not opened in it. */
const endOfDestination = (src: string, from: number, max: number): number => {
  let depth = 0
  let at = from
  for (; at < max && at - from <= longestAddress; at++) {
    const code = src.charCodeAt(at)
    // Other spaces are refused with the whole address.
    if (code <= 0x20) break
    if (code === 0x28) depth++
    else if (code === 0x29 && --depth < 0) break
  }
  return at
}

/** Reads `address "title")` or `<address> "title")`. */
const readTarget = (state: StateInline, from: number): Destination | undefined => {
  const { src, posMax } = state
  let start = from
  while (start < posMax && start - from < 100 && /\s/.test(src.charAt(start))) start++
  const isBracketed = src.charAt(start) === "<"
  const last = isBracketed ? src.indexOf(">", start) : endOfDestination(src, start, posMax)
  if (last < 0 || last >= posMax || last - start > longestAddress) return undefined
  const address = isBracketed ? src.slice(start + 1, last) : src.slice(start, last)
  const behind = isBracketed ? last + 1 : last
  for (const pattern of [close, title]) {
    pattern.lastIndex = behind
    const found = pattern.exec(src)
    if (found === null || behind + found[0].length > posMax) continue
    return {
      address: decodeEntities(address),
      title: decodeEntities(found[1] ?? found[2] ?? ""),
      end: behind + found[0].length,
    }
  }
  return undefined
}

export const link = (state: StateInline): boolean => {
  const { src, pos, posMax } = state
  if (src.charCodeAt(pos) !== bracket || state.linkLevel > 0) return false
  const labelEnd = pairsOf(state).get(pos)
  if (labelEnd === undefined || labelEnd >= posMax || src.charAt(labelEnd + 1) !== "(") return false
  const target = readTarget(state, labelEnd + 2)
  const href = target === undefined ? undefined : readDestination(target.address, contextOf(state).names.host)
  if (target === undefined || href === undefined) return false
  const label = src.slice(pos + 1, labelEnd).trim()
  const open = state.push("link_open", "a", 1)
  open.attrs = [["href", href], ...(target.title === "" ? [] : [["title", target.title] satisfies [string, string]])]
  if (label === "") state.push("mention_text", "", 0).content = target.address
  else {
    state.pos = pos + 1
    state.posMax = labelEnd
    state.linkLevel++
    state.md.inline.tokenize(state)
    state.linkLevel--
  }
  state.push("link_close", "a", -1)
  state.pos = target.end
  state.posMax = posMax
  return true
}

const addressRun = /https?:\/\/[^\s<>"`\u200b]{1,2000}/iy
const schemeBefore = /(?:^|[^A-Za-z0-9_])(https?)$/i

interface LinkScan {
  /** All brackets and quotes of the text. */
  readonly pairs: BracketPairs
  /** Up to here it was looked for an address and none found: none begins there, so that the time stays linear. */
  done: number
}

const readings = new WeakMap<StateInline, LinkScan>()
const readingOf = (state: StateInline): LinkScan => {
  const known = readings.get(state) ?? { pairs: pairsIn(state.src), done: 0 }
  readings.set(state, known)
  return known
}

interface ReadAddress {
  readonly address: string
  /** Characters of the source. */
  readonly length: number
}

/** An address with the characters of its entities. It ends before one of a character that ends addresses. */
const readEntities = (source: string): ReadAddress => {
  let address = ""
  /** The ends of the entities, in the address and in the source. */
  const ends: Array<readonly [place: number, inSource: number]> = [[0, 0]]
  let done = 0
  for (let at = source.indexOf("&"); at >= 0; at = source.indexOf("&", at + 1)) {
    const found = entityAt(source, at)
    if (found === undefined) continue
    address += source.slice(done, at)
    done = at
    if (endsAddress(found.character)) {
      source = source.slice(0, at)
      break
    }
    address += found.character
    done = at + found.length
    ends.push([address.length, done])
  }
  address += source.slice(done)
  const length = withoutTrailing(address)
  const [place, inSource] = ends.findLast(([place]) => place <= length) ?? [0, 0]
  return { address: address.slice(0, length), length: inSource + (length - place) }
}

/** At the colon of `https://…`: what stands before it is taken back from the text that was already read. */
export const webAddress = (state: StateInline): boolean => {
  const { src, pos, pending } = state
  if (src.charCodeAt(pos) !== colon || !src.startsWith("//", pos + 1) || state.linkLevel > 0) return false
  const scheme = schemeBefore.exec(pending.slice(-6))?.[1]
  if (scheme === undefined) return false
  const start = pos - scheme.length
  const reading = readingOf(state)
  if (start < reading.done) return false
  addressRun.lastIndex = start
  const [run = ""] = addressRun.exec(src) ?? []
  const limit = Math.min(start + run.length, state.posMax)
  const end = endOfAddress(src, start, limit, reading.pairs, `${scheme}://`.length)
  const { address, length } = readEntities(src.slice(start, end))
  if (!isLinked(address)) {
    reading.done = end
    return false
  }
  state.pending = pending.slice(0, -scheme.length)
  const open = state.push("link_open", "a", 1)
  open.attrs = [["href", relativeTo(address, contextOf(state).names.host)]]
  state.push("mention_text", "", 0).content = address
  state.push("link_close", "a", -1)
  state.pos = start + length
  return true
}
