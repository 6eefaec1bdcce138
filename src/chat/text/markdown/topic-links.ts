/**
 * The links in a topic: addresses, and what linkifiers find. A topic is HTML nowhere, so clients get its links beside
 * it. Kept by topic until a linkifier changes, because all messages of a topic have the same.
 */
import * as Effect from "effect/Effect"
import { forEachInSlices } from "../../../slices.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import type { Linkifier } from "../linkifiers/linkifier-pattern.ts"
import { linkifiersOf } from "./realm-markup.ts"
import { compileOnce, findLinks } from "./rules/inline-text.ts"

export interface TopicLink {
  readonly text: string
  readonly url: string
}

/** Steps of linkifiers for a topic: half a millisecond at worst. What they would find after that is no link. */
const topicSteps = 20_000
/** Topics whose links are kept. At more all are forgotten. */
const mostKept = 2000

const noLinks: ReadonlyArray<TopicLink> = []
const linksByLinkifiers = new WeakMap<ReadonlyArray<Linkifier>, Map<string, ReadonlyArray<TopicLink>>>()

export const topicLinks = (realm: Realm, topic: string): ReadonlyArray<TopicLink> => {
  const linkifiers = linkifiersOf(realm)
  const byTopic = linksByLinkifiers.get(linkifiers) ?? new Map<string, ReadonlyArray<TopicLink>>()
  linksByLinkifiers.set(linkifiers, byTopic)
  const known = byTopic.get(topic)
  if (known !== undefined) return known
  let left = topicSteps
  const found = findLinks(topic, linkifiers, (steps) => {
    left -= steps
    return left >= 0
  })
  const links =
    found.length === 0 ? noLinks : found.map(({ start, end, url }) => ({ text: topic.slice(start, end), url }))
  if (byTopic.size >= mostKept) byTopic.clear()
  byTopic.set(topic, links)
  return links
}

const prepare = Effect.fnUntraced(function* (realm: Realm, topics: Iterable<string>) {
  yield* forEachInSlices(linkifiersOf(realm), compileOnce, 1)
  yield* forEachInSlices(topics, (topic) => topicLinks(realm, topic), 1)
})

/** Finds the links of these topics in slices, so that `topicLinks` has them. Without topics it only compiles linkifiers. */
export const prepareTopicLinks = (realm: Realm, topics?: Iterable<string>): Effect.Effect<void> =>
  topics === undefined && linkifiersOf(realm).length === 0 ? Effect.void : prepare(realm, topics ?? [])
