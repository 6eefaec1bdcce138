/** Polls: messages that began with `/poll`, and what people did in them, as the acts of the message say it in their order. */
import type { Act, Post } from "./model.ts"

interface Option {
  /** What a vote names. */
  readonly key: string
  readonly text: string
  readonly voters: ReadonlyArray<number>
}

export interface Poll {
  readonly question: string
  readonly options: ReadonlyArray<Option>
}

type Fields = Readonly<Record<string, unknown>>

const isFields = (value: unknown): value is Fields => typeof value === "object" && value !== null

const read = (content: string): Fields => {
  try {
    const value: unknown = JSON.parse(content)
    return isFields(value) ? value : {}
  } catch {
    return {}
  }
}

const textsOf = (value: unknown): ReadonlyArray<string> =>
  Array.isArray(value) ? value.filter((each: unknown) => typeof each === "string") : []

/** Two options of one text are one: the later is not added. */
const withOption = (poll: Poll, key: string, text: string): Poll =>
  text === "" || poll.options.some((each) => each.key === key || each.text === text)
    ? poll
    : { ...poll, options: [...poll.options, { key, text, voters: [] }] }

const withVote = (poll: Poll, key: string, user: number, isFor: boolean): Poll => ({
  ...poll,
  options: poll.options.map((each) => {
    if (each.key !== key) return each
    const others = each.voters.filter((voter) => voter !== user)
    return { ...each, voters: isFor ? [...others, user] : others }
  }),
})

/** What somebody added and has no place yet: a number that none of their own options has. */
const ownOption = /^(\d+),(\d+)$/

export const nextIndex = (poll: Poll, user: number): number =>
  Math.max(
    0,
    ...poll.options.map(({ key }) => {
      const [, who, index] = ownOption.exec(key) ?? []
      return Number(who) === user ? Number(index) : 0
    }),
  ) + 1

const follow = (poll: Poll, { senderId, content }: Act, author: number): Poll => {
  const { type, key, vote, idx, option, question } = read(content)
  if (type === "vote" && typeof key === "string") return withVote(poll, key, senderId, vote === 1)
  if (type === "new_option" && typeof option === "string" && typeof idx === "number")
    return withOption(poll, `${senderId},${idx}`, option)
  return type === "question" && typeof question === "string" && senderId === author ? { ...poll, question } : poll
}

/** Null where the message is none. */
export const pollOf = ({ acts, senderId }: Pick<Post, "acts" | "senderId">): Poll | null => {
  const [first, ...later] = acts
  if (first === undefined) return null
  const { widget_type, extra_data } = read(first.content)
  if (widget_type !== "poll" || !isFields(extra_data)) return null
  const { question, options } = extra_data
  const begun = textsOf(options).reduce<Poll>((poll, text, n) => withOption(poll, `canned,${n}`, text), {
    question: typeof question === "string" ? question : "",
    options: [],
  })
  return later.reduce((poll, act) => follow(poll, act, senderId), begun)
}
