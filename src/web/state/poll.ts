/** Polls: messages that began with `/poll`, and what people did in them, as the acts of the message say it in their order. */

import type { PagePost, WidgetAct } from "./model.ts"
import { beginningOf, readFields, textOf } from "./widget-data.ts"

interface PollOption {
  /** What a vote names. */
  readonly key: string
  readonly text: string
  readonly voters: ReadonlyArray<number>
}

export interface Poll {
  readonly question: string
  readonly options: ReadonlyArray<PollOption>
}

const textsOf = (value: unknown): ReadonlyArray<string> =>
  Array.isArray(value) ? value.filter((each: unknown) => typeof each === "string") : []

interface PollBuilder {
  question: string
  /** Texts and voters by key, and the texts: two options of one text are one, and the later is not added. */
  readonly options: Map<string, { readonly text: string; readonly voters: Set<number> }>
  readonly texts: Set<string>
}

const addOption = ({ options, texts }: PollBuilder, key: string, text: string): void => {
  if (text === "" || options.has(key) || texts.has(text)) return
  options.set(key, { text, voters: new Set() })
  texts.add(text)
}

const vote = ({ options }: PollBuilder, key: string, user: number, isFor: boolean): void => {
  const voters = options.get(key)?.voters
  voters?.delete(user)
  if (isFor) voters?.add(user)
}

/** What somebody added and has no place yet: a number that none of their own options has. */
const ownOption = /^(\d+),(\d+)$/

export const nextIndex = (poll: Poll, user: number): number =>
  poll.options.reduce((most, { key }) => {
    const [, who, index] = ownOption.exec(key) ?? []
    return Number(who) === user ? Math.max(most, Number(index)) : most
  }, 0) + 1

const follow = (making: PollBuilder, { senderId, content }: WidgetAct, author: number): void => {
  const { type, key, vote: given, idx, option, question } = readFields(content)
  if (type === "vote" && typeof key === "string") vote(making, key, senderId, given === 1)
  else if (type === "new_option" && typeof option === "string" && typeof idx === "number")
    addOption(making, `${senderId},${idx}`, option)
  else if (type === "question" && typeof question === "string" && senderId === author) making.question = question
}

/** Null where the message is none. */
export const pollOf = (post: Pick<PagePost, "acts" | "senderId">): Poll | null => {
  const beginning = beginningOf(post, "poll")
  if (beginning === null) return null
  const { question, options } = beginning
  const making: PollBuilder = { question: textOf(question), options: new Map(), texts: new Set() }
  for (const [n, text] of textsOf(options).entries()) addOption(making, `canned,${n}`, text)
  for (const act of post.acts.slice(1)) follow(making, act, post.senderId)
  return {
    question: making.question,
    options: [...making.options].map(([key, { text, voters }]) => ({ key, text, voters: [...voters] })),
  }
}

const voteKey = ({ content }: WidgetAct): string | null => {
  const { type, key } = readFields(content)
  return type === "vote" && typeof key === "string" ? key : null
}

/** A vote stands in place of an earlier one of the same person for the same: however often one votes, it does not grow. */
export const withAct = (acts: ReadonlyArray<WidgetAct>, act: WidgetAct): ReadonlyArray<WidgetAct> => {
  const key = voteKey(act)
  const isEarlier = (each: WidgetAct, n: number) => n > 0 && each.senderId === act.senderId && voteKey(each) === key
  return [...(key === null ? acts : acts.filter((each, n) => !isEarlier(each, n))), act]
}
