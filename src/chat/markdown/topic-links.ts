/** The links of a topic (contract 3.1.1, `topic_links`): addresses in it, and matches of linkifiers. */
import type { Linkifier } from "../linkifiers/linkifier-pattern.ts"
import { findLinks } from "./rules/inline-text.ts"

export interface TopicLink {
  readonly text: string
  readonly url: string
}

/** Steps of linkifiers for a topic: it is short, and a message has only one. */
const topicSteps = 100_000

/** In the order in which they stand in the topic. Most topics hold none, which takes less than a microsecond. */
export const topicLinks = (topic: string, linkifiers: ReadonlyArray<Linkifier>): ReadonlyArray<TopicLink> => {
  let left = topicSteps
  const spend = (steps: number): boolean => {
    left -= steps
    return left >= 0
  }
  return findLinks(topic, linkifiers, spend).map(({ start, end, url }) => ({ text: topic.slice(start, end), url }))
}
