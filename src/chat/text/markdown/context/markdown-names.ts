/**
 * The names that a text may speak of: found in it by `namesIn`, looked up in the realm by find-names.ts, and then plain
 * data, `MarkdownNames`, which a worker thread can be sent. Only what the author may see is in it, so that the rest of
 * the renderer asks nobody and treats a hidden channel as one that does not exist.
 */
import type { ChannelId, GroupId, MessageId, UserId } from "../../../../ids.ts"
import { decodeEntities } from "../../characters/entities.ts"
import type { Linkifier } from "../../linkifiers/linkifier-pattern.ts"
import type { PreviewSources } from "./preview-sources.ts"

export interface NamedUser {
  readonly id: UserId
  readonly name: string
  /** Deactivated: may be named, but is not notified. */
  readonly isInactive: boolean
}

export interface NamedGroup {
  readonly id: GroupId
  /** As it is shown; for a system group not its name. */
  readonly name: string
  readonly isInactive: boolean
  /** Can be named only silently. */
  readonly isSystem: boolean
}

export interface NamedChannel {
  readonly id: ChannelId
  readonly name: string
  /** The newest message of each of its topics that the text speaks of, by what `fold` makes of the topic. */
  readonly newest: ReadonlyMap<string, MessageId>
}

export interface MarkdownNames {
  /** By what stands between the asterisks, exactly as written: `Name`, `Name|9` or `|9`. */
  readonly users: ReadonlyMap<string, NamedUser>
  /** Likewise. */
  readonly groups: ReadonlyMap<string, NamedGroup>
  /** By the name by which a reference finds it. */
  readonly channels: ReadonlyMap<string, NamedChannel>
  /** The addresses of the realm's own emoji, by name. */
  readonly customEmoji: ReadonlyMap<string, string>
  readonly linkifiers: ReadonlyArray<Linkifier>
  /** The host of the realm: links to it are made relative. */
  readonly host: string
  /** The language of code blocks that name none; empty: none. */
  readonly codeLanguage: string
  /** Null: links are not previewed. */
  readonly previews: PreviewSources | null
}

/** The names of which a text speaks, each once. */
export interface NamesInText {
  readonly users: ReadonlySet<string>
  readonly groups: ReadonlySet<string>
  /** What stands between the asterisks of links to channels, topics and messages. */
  readonly references: ReadonlySet<string>
}

/** Longer names do not exist: of people, groups and channels 100 characters, with `|id` or a topic and `@id` more. */
export const longestName = 250

/** Words that mean everybody in a channel, instead of a user of that name. */
export const channelWildcards: ReadonlySet<string> = new Set(["all", "everyone", "stream", "channel"])
export const topicWildcard = "topic"

// Only the opening is consumed: the closing asterisks of what is no mention may open the next one.
const userMention = new RegExp(`@_?\\*\\*(?=([^*\\n]{1,${longestName}})\\*\\*)`, "g")
const groupMention = new RegExp(`@_?\\*(?=([^*\\n]{1,${longestName}})\\*)`, "g")
const channelMention = new RegExp(`#\\*\\*(?=([^*\\n]{1,${longestName}})\\*\\*)`, "g")

/** The parts of what stands between the asterisks of a link to a channel, a topic or a message. */
export interface ChannelReference<Channel> {
  readonly channel: Channel
  /** The name by which it was found. */
  readonly name: string
  readonly topic?: string
  readonly message?: string
}

/**
 * Names of channels and topics may hold what parts them: of the names that a reference may begin with, the longest one
 * that `find` knows counts, as written or with the characters of its entities. Undefined where it knows none.
 */
export const readChannelReference = <Channel>(
  text: string,
  find: (name: string) => Channel | undefined,
): ChannelReference<Channel> | undefined => {
  const parts = text.split(">").map((part) => ({ length: part.length, decoded: decodeEntities(part) }))
  const decoded = parts.map((part) => part.decoded).join(">")
  let [end, decodedEnd] = [text.length, decoded.length]
  for (const part of parts.toReversed()) {
    const written = text.slice(0, end)
    for (const name of decoded === text ? [written] : [written, decoded.slice(0, decodedEnd)]) {
      const channel = find(name)
      if (channel === undefined) continue
      if (end === text.length) return { channel, name }
      const rest = text.slice(end + 1)
      const [, topic = rest, message] = /^(.*)@(\d{1,16})$/.exec(rest) ?? []
      return { channel, name, topic: decodeEntities(topic), ...(message === undefined ? {} : { message }) }
    }
    end -= part.length + 1
    decodedEnd -= part.decoded.length + 1
  }
  return undefined
}

/** The names in a text. May find some that turn out to stand in code; misses none. Takes time linear in its length. */
export const namesIn = (content: string): NamesInText => {
  const users = new Set<string>()
  const groups = new Set<string>()
  const references = new Set<string>()
  if (content.includes("@")) {
    for (const [, name = ""] of content.matchAll(userMention)) if (!channelWildcards.has(name)) users.add(name)
    for (const [, name = ""] of content.matchAll(groupMention)) groups.add(name)
  }
  if (content.includes("#**")) for (const [, text = ""] of content.matchAll(channelMention)) references.add(text)
  return { users, groups, references }
}
