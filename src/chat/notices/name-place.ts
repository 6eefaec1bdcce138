/**
 * The names of channels and topics in notices. Whoever gives a topic its name must not write a part of the notice by it, nor
 * link another place: what a link cannot name is written as code.
 */
import { longestName, readChannelReference } from "../markdown/markdown-names.ts"
import type { ChannelRecord } from "../realm/records.ts"

/** A text as code: between more backticks than it has anywhere in a row. */
const asCode = (text: string): string => {
  const longest = Math.max(0, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length))
  const fence = "`".repeat(longest + 1)
  return /^`|`$/.test(text) ? `${fence} ${text} ${fence}` : fence + text + fence
}

const isLink = (reference: string): boolean => !reference.includes("*") && reference.length <= longestName

export const nameChannel = ({ name }: Pick<ChannelRecord, "name">): string =>
  isLink(name) && readChannelReference(name).topic === undefined ? `#**${name}**` : asCode(`#${name}`)

/** Where it is no link, as the name that a channel had. */
export const strongName = (name: string): string => (name.includes("*") ? asCode(name) : `**${name}**`)

/** `message`: one of the topic, which is linked. */
export const namePlace = (channel: Pick<ChannelRecord, "name">, topic: string, message?: number): string => {
  const reference = `${channel.name}>${topic}${message === undefined ? "" : `@${message}`}`
  const read = readChannelReference(reference)
  const isSame = read.channel === channel.name && read.topic === topic && read.message === message?.toString()
  if (isLink(reference) && isSame) return `#**${reference}**`
  return `${nameChannel(channel)} > ${asCode(topic)}${message === undefined ? "" : ` (message ${message})`}`
}
