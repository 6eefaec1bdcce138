/** Parts of questions: requests, the terms of narrows, and texts that speak of things. */
import type { Fields } from "../../kit/client.ts"
import type { Asked, Question } from "./asking.ts"

export const kinds = [
  "channel",
  "channelName",
  "message",
  "near",
  "address",
  "file",
  "attachment",
  "draft",
  "scheduled",
  "reminder",
  "invitation",
  "queue",
  "topic",
] as const
export type Kind = (typeof kinds)[number]
export type Questions = Readonly<Partial<Record<Kind, ReadonlyArray<Question>>>>

/** Names beside the hidden thing, all of them seen by who asks. */
export interface Beside {
  /** A channel of theirs, and a message of their own in it. */
  readonly lobby: number
  readonly own: number
  /** A channel of theirs whose earlier history they may not read. */
  readonly vault: number
  readonly user: number
}

export const page = { anchor: "newest", num_before: 5, num_after: 5 }
export const flags = { ...page, op: "add", flag: "collapsed" }
export const text = { content: "x", topic: "t" }
export const at = (method: string, path: string, fields: Fields = {}): Asked => ({ method, path, fields })
export const get = (path: string, fields: Fields = {}): Asked => at("GET", path, fields)
export const post = (path: string, fields: Fields = {}): Asked => at("POST", path, fields)
export const patch = (path: string, fields: Fields = {}): Asked => at("PATCH", path, fields)
export const remove = (path: string, fields: Fields = {}): Asked => at("DELETE", path, fields)

export const everybodySees = "names only what everybody sees: people, groups, folders, emoji, linkifiers"
export const ofOneself = "is about the requester alone"
export const namesNothing = "names nothing"

/** The terms of narrows that name something, asked in each way that a narrow is used. */
export const narrowed = (own: number) => {
  type Terms = (thing: string) => ReadonlyArray<unknown>
  const terms: Readonly<Partial<Record<Kind, ReadonlyArray<Terms>>>> = {
    channel: [
      (id) => [{ operator: "channel", operand: Number(id) }],
      (id) => [{ operator: "stream", operand: Number(id), negated: true }],
      (id) => [["channel", id]],
    ],
    channelName: [
      (name) => [["stream", name]],
      (name) => [
        ["channel", name.toUpperCase()],
        ["topic", "t"],
      ],
    ],
    message: [
      (id) => [["id", id]],
      (id) => [{ operator: "id", operand: Number(id), negated: true }],
      (id) => [["with", id]],
      (id) => [
        ["with", id],
        ["channel", "lobby"],
        ["topic", "t"],
      ],
      (id) => [
        ["with", id],
        ["dm", "polonius@test.example"],
      ],
    ],
    near: [
      (id) => [["near", id]],
      (id) => [
        ["channel", "lobby"],
        ["near", id],
      ],
    ],
    address: [
      (email) => [["sender", email]],
      (email) => [["dm", email]],
      (email) => [["dm", `iago@test.example,${email}`]],
      (email) => [["dm-including", email]],
      (email) => [["group-pm-with", email]],
      (email) => [{ operator: "sender", operand: email, negated: true }],
    ],
    topic: [
      (topic) => [
        ["channel", "vault"],
        ["topic", topic],
      ],
      (topic) => [["topic", topic]],
    ],
  }
  return (ask: (narrow: ReadonlyArray<unknown>, own: number) => Asked): Questions =>
    Object.fromEntries(
      Object.entries(terms).map(([kind, each]) => [
        kind,
        each.map(
          (term): Question =>
            (thing) =>
              ask(term(thing), own),
        ),
      ]),
    )
}

export const join = (...all: ReadonlyArray<Questions>): Questions =>
  Object.fromEntries(kinds.map((kind) => [kind, all.flatMap((each) => each[kind] ?? [])]))

/** Texts that speak of hidden things. */
const texts: Readonly<Partial<Record<Kind, ReadonlyArray<(thing: string) => string>>>> = {
  channel: [(id) => `[a](/#narrow/channel/${id}-crypt)`],
  channelName: [(name) => `#**${name}**`, (name) => `#**${name}>t** #**${name}>t@5**`],
  message: [(id) => `#**lobby>t@${id}** [a](/#narrow/channel/1-lobby/topic/t/near/${id})`],
  address: [(email) => `@**${email}** @_**${email}** ${email}`],
  file: [(path) => `[a](/user_uploads/${path})`, (path) => `![a](/user_uploads/${path})`],
  topic: [(topic) => `#**vault>${topic}**`],
}
export const speaking = (ask: (content: string) => Asked): Questions =>
  Object.fromEntries(
    Object.entries(texts).map(([kind, each]) => [
      kind,
      each.map(
        (write): Question =>
          (thing) =>
            ask(write(thing)),
      ),
    ]),
  )
