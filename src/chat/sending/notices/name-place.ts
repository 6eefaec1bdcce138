/**
 * The names of channels and topics in notices. Whoever gives a topic its name must not write a part of the notice by it, nor
 * link another place: what a link cannot name is written as code.
 */

import type { ChannelRecord } from "../../ground/realm/records.ts"
import { longestName, readChannelReference } from "../../text/markdown/context/markdown-names.ts"

/** Backticks that no run of them in the text can end: more than `least`, and than the longest run. */
export const fenceAround = (text: string, least: number): string => {
  const longest = Math.max(least, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length))
  return "`".repeat(longest + 1)
}

/** A text as it is, whatever it holds. */
export const asCode = (text: string): string => {
  const fence = fenceAround(text, 0)
  return /^`|`$/.test(text) ? `${fence} ${text} ${fence}` : fence + text + fence
}

const isLink = (reference: string): boolean => !reference.includes("*") && reference.length <= longestName

export const nameChannel = ({ name }: Pick<ChannelRecord, "name">): string =>
  isLink(name) && readChannelReference(name).topic === undefined ? `#**${name}**` : asCode(`#${name}`)

/** The name of a channel where it is no link, such as one that it had before. */
export const strongName = (name: string): string => (name.includes("*") ? asCode(name) : `**${name}**`)

/** `message`: one of the topic, which is linked. */
export const namePlace = (channel: Pick<ChannelRecord, "name">, topic: string, message?: number): string => {
  const reference = `${channel.name}>${topic}${message === undefined ? "" : `@${message}`}`
  const read = readChannelReference(reference)
  const isSame = read.channel === channel.name && read.topic === topic && read.message === message?.toString()
  if (isLink(reference) && isSame) return `#**${reference}**`
  return `${nameChannel(channel)} > ${asCode(topic)}${message === undefined ? "" : ` (message ${message})`}`
}
