/**
 * Links to channels, topics and messages: `#**channel**`, `#**channel>topic**`, `#**channel>topic@9**`. A rule of
 * markdown-it, and the addresses that such links have.
 */
import type { StateInline } from "markdown-it"
import { emptyTopicDisplayName, fold, readTopic } from "../../../ground/realm/domain-values.ts"
import { longestName, type NamedChannel, readChannelReference } from "../context/markdown-names.ts"
import { contextOf } from "../context/render-context.ts"
import { isWordBefore } from "./entity-rule.ts"

const hash = 0x23

const channelMention = new RegExp(`#\\*\\*([^*\\n]{1,${longestName}})\\*\\*`, "y")

/** Percent-encoded, with dots for the percent signs: clients read it back. */
const encode = (text: string): string =>
  encodeURIComponent(text.toWellFormed())
    .replace(/[!'()*~.]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll("%", ".")

export const channelAddress = ({ id, name }: Pick<NamedChannel, "id" | "name">): string =>
  `/#narrow/channel/${id}-${encode(name.replaceAll(" ", "-"))}`

const push = (state: StateInline, className: string, channel: NamedChannel, href: string, write: () => void): void => {
  const open = state.push("link_open", "a", 1)
  open.attrs = [
    ["class", className],
    ["data-stream-id", `${channel.id}`],
    ["href", href],
  ]
  write()
  state.push("link_close", "a", -1)
}

const pushText = (state: StateInline, text: string): void => {
  // Not a text token: what the name holds is not looked through for links.
  state.push("mention_text", "", 0).content = text
}

const pushTopic = (state: StateInline, channel: NamedChannel, topic: string, after: string): void => {
  pushText(state, topic === "" ? `#${channel.name} > ` : `#${channel.name} > ${topic}${after}`)
  if (topic !== "") return
  state.push("em_open", "em", 1)
  pushText(state, emptyTopicDisplayName)
  state.push("em_close", "em", -1)
  if (after !== "") pushText(state, after)
}

export const channelLink = (state: StateInline): boolean => {
  const { src, pos } = state
  if (src.charCodeAt(pos) !== hash || isWordBefore(state)) return false
  channelMention.lastIndex = pos
  const found = channelMention.exec(src)
  if (found === null || pos + found[0].length > state.posMax || state.linkLevel > 0) return false
  const { channels } = contextOf(state).names
  const reference = readChannelReference(found[1] ?? "", (name) => channels.get(name))
  if (reference === undefined) return false
  const { channel } = reference
  const address = channelAddress(channel)
  if (reference.topic === undefined) {
    push(state, "stream", channel, address, () => pushText(state, `#${channel.name}`))
  } else {
    const topic = readTopic(reference.topic)
    const place = `${address}/topic/${encode(topic)}`
    if (reference.message === undefined) {
      const newest = channel.newest.get(fold(topic))
      // The empty topic has no part of its own here.
      const href = newest === undefined ? place : `${topic === "" ? `${address}/topic` : place}/with/${newest}`
      push(state, "stream-topic", channel, href, () => pushTopic(state, channel, topic, ""))
    } else {
      const href = `${place}/near/${BigInt(reference.message)}`
      push(state, "message-link", channel, href, () => pushTopic(state, channel, topic, " @ 💬"))
    }
  }
  state.pos += found[0].length
  return true
}
