/** Resolved topics: those whose name begins with a mark. */

import { readTopic } from "../../ground/realm/domain-values.ts"
import { resolvedMark } from "../../reading/history/narrows/matcher.ts"

const isResolved = (topic: string): boolean => topic.startsWith(resolvedMark)

/** Whether a new name of a topic does nothing but resolve it, or undo that; undefined: it does more. */
export const resolution = (from: string, to: string): "resolved" | "unresolved" | undefined => {
  if (!isResolved(from) && to === resolvedMark + from) return "resolved"
  return isResolved(from) && !isResolved(to) && from.replace(/^[\u2714 ]+/, "") === to ? "unresolved" : undefined
}

/** Whether a trimmed name is that of the empty topic with the mark: it would be an ordinary topic, which is called so. */
export const isEmptyResolved = (topic: string): boolean =>
  isResolved(`${topic} `) && readTopic(topic.slice(resolvedMark.length)) === ""
