/**
 * The names of channels and topics in notices. Whoever gives a topic its name must not write a part of the notice by it, nor
 * link another place: what a link cannot name is written as code. A link is read as it will be for those who read the
 * notice: other channels that they see may have a name that it begins with, too.
 */

import { fold } from "../../ground/realm/domain-values.ts"
import type { ChannelRecord } from "../../ground/realm/records.ts"
import { decodeEntities } from "../../text/characters/entities.ts"
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

type NamedRecord = Pick<ChannelRecord, "name">

/** The channels that the notice's readers see, by name (`channelFinder`). */
export type FindChannel = (name: string) => NamedRecord | undefined

interface NoticePlace {
  readonly name: string
  readonly topic?: string
  readonly message?: string
}

/** Whether a link names this place, and links no other where it is rendered before the commit that makes the channel. */
const isLinkTo = (place: NoticePlace, reference: string, find: FindChannel): boolean => {
  if (reference.includes("*") || reference.length > longestName) return false
  const isOwn = (name: string) => fold(name) === fold(place.name)
  const linked = readChannelReference(reference, find)
  if (linked !== undefined && !isOwn(linked.channel.name)) return false
  const read = readChannelReference<NamedRecord>(reference, (name) => find(name) ?? (isOwn(name) ? place : undefined))
  return read !== undefined && isOwn(read.channel.name) && read.topic === place.topic && read.message === place.message
}

export const nameChannel = ({ name }: NamedRecord, find: FindChannel): string =>
  isLinkTo({ name }, name, find) ? `#**${name}**` : asCode(`#${name}`)

/** The name of a channel where it is no link, such as one that it had before. */
export const strongName = (name: string): string =>
  name.includes("*") || decodeEntities(name) !== name ? asCode(name) : `**${name}**`

/** `message`: one of the topic, which is linked. */
export const namePlace = (channel: NamedRecord, topic: string, find: FindChannel, message?: number): string => {
  const { name } = channel
  const reference = `${name}>${topic}${message === undefined ? "" : `@${message}`}`
  const place = { name, topic, ...(message === undefined ? {} : { message: `${message}` }) }
  if (isLinkTo(place, reference, find)) return `#**${reference}**`
  return `${nameChannel(channel, find)} > ${asCode(topic)}${message === undefined ? "" : ` (message ${message})`}`
}
