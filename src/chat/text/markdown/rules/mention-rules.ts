/**
 * Mentions of people, groups and everybody: `@**Name**`, `@*group*`, silent with `@_`. Rules of markdown-it. Within
 * quotes and links a mention is silent. What names nobody, or stands right behind a word, stays text.
 */
import type { StateInline } from "markdown-it"
import { channelWildcards, longestName, topicWildcard } from "../context/markdown-names.ts"
import { contextOf } from "../context/render-context.ts"
import { isWordBefore } from "./entity-rule.ts"

const at = 0x40

const userMention = new RegExp(`@(_?)\\*\\*([^*\\n]{1,${longestName}})\\*\\*`, "y")
const groupMention = new RegExp(`@(_?)\\*([^*\\n]{1,${longestName}})\\*`, "y")

type Attributes = Array<[string, string]>

const write = (state: StateInline, classes: string, attributes: Attributes, silent: boolean, name: string): void => {
  const open = state.push("mention_open", "span", 1)
  open.attrs = [["class", silent ? `${classes} silent` : classes], ...attributes]
  state.push("mention_text", "", 0).content = silent ? name : `@${name}`
  state.push("mention_close", "span", -1)
}

const writeUser = (state: StateInline, name: string, isSilent: boolean): boolean => {
  const context = contextOf(state)
  if (channelWildcards.has(name)) {
    if (!isSilent) context.mentionChannel()
    write(state, "user-mention channel-wildcard-mention", [["data-user-id", "*"]], isSilent, name)
    return true
  }
  if (name === topicWildcard) {
    if (!isSilent) context.mentionTopic()
    write(state, "topic-mention", [], isSilent, name)
    return true
  }
  const user = context.names.users.get(name)
  if (user === undefined) return false
  const silent = isSilent || user.isInactive
  if (!silent) context.mentionUser(user.id)
  write(state, "user-mention", [["data-user-id", `${user.id}`]], silent, user.name)
  return true
}

const writeGroup = (state: StateInline, name: string, isSilent: boolean): boolean => {
  const context = contextOf(state)
  const group = context.names.groups.get(name)
  if (group === undefined || (group.isSystem && !isSilent)) return false
  const silent = isSilent || group.isInactive
  if (!silent) context.mentionGroup(group.id)
  write(state, "user-group-mention", [["data-user-group-id", `${group.id}`]], silent, group.name)
  return true
}

export const mention = (state: StateInline): boolean => {
  const { src, pos } = state
  if (src.charCodeAt(pos) !== at || isWordBefore(state)) return false
  for (const [pattern, writeMention] of [
    [userMention, writeUser],
    [groupMention, writeGroup],
  ] as const) {
    pattern.lastIndex = pos
    const found = pattern.exec(src)
    if (found === null || pos + found[0].length > state.posMax) continue
    const isSilent = found[1] === "_" || contextOf(state).quotes > 0 || state.linkLevel > 0
    if (!writeMention(state, found[2] ?? "", isSilent)) return false
    state.pos += found[0].length
    return true
  }
  return false
}
