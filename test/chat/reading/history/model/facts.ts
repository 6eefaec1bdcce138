/** A message of the world as the server's predicate takes it (src/chat/reading/history/narrows/matcher.ts). */
import type { MessageFacts, ReaderFacts } from "../../../../../src/chat/reading/history/narrows/matcher.ts"
import type { Flags } from "./narrows.ts"
import { standsIn, wordsOf } from "./words.ts"
import type { Message, User, World } from "./world.ts"

export const factsOf = (world: World, message: Message): MessageFacts => {
  const { link, image, attachment } = world.parts(message)
  return {
    id: message.id,
    sender: message.sender,
    channel: message.channel?.id ?? null,
    topicFolded: message.topic.toLowerCase(),
    people: message.people,
    parts: { has_link: link, has_image: image, has_attachment: attachment },
  }
}

export const readerFactsOf = (world: World, user: User, message: Message, flags: Flags): ReaderFacts => {
  const own = flags.get(message.id) ?? new Set()
  return {
    hasFlag: (flag) => {
      if (flag === "unread") return flags.has(message.id) && !own.has("read")
      if (flag === "mentioned") return own.has("mentioned") || own.has("wildcard_mentioned")
      return own.has(flag === "alerted" ? "has_alert_word" : flag)
    },
    topicPolicy: world.policy(user, message),
    hasReaction: message.reactions.size > 0,
    hasText: ({ words, phrases, apart }) => {
      const [wanted, known] = [wordsOf(words), world.words(message)]
      const texts = [message.content.toLowerCase(), message.topic.toLowerCase()]
      const isLeftOut = wanted.size === 0 && phrases.length === 0
      return (
        (!isLeftOut || apart.every((word) => standsIn(texts, word))) &&
        [...wanted].every((each) => known.has(each)) &&
        phrases.every((each) => texts.some((text) => text.includes(each)))
      )
    },
  }
}
