/**
 * Asks twice, for what exists but may not be seen and for what does not exist, and compares all that can be told of the
 * two: the status, the headers, every byte, and the events that follow.
 */
import type { Test } from "tap"
import { type Fields, formOf } from "../../kit/client.ts"
import { KeptConnections, type RawAnswer } from "../../kit/raw-http.ts"
import type { Reader } from "../../kit/reader.ts"
import { basic } from "../../kit/rows.ts"
import { some } from "../../kit/share.ts"
import type { Name, TestServer } from "../../kit/with-server.ts"

export interface Asked {
  readonly method?: string
  /** Below /api/v1; or, with `isBare`, the whole path. */
  readonly path: string
  readonly isBare?: true
  readonly fields?: Fields
  readonly headers?: Readonly<Record<string, string>>
}

/** Makes a request that names something. */
export type Question = (thing: string) => Asked

/** Somebody, or a visitor. */
export type Who = Name | null

/** A name that `who` may not see, and one of the same length that never was. */
export interface Pair {
  readonly who: Who
  readonly hidden: string
  readonly never: string
  /** Says which of several it is. */
  readonly what?: string
}

/** The quick run asks each question with about so many pairs. */
const pairsAtOnce = 1

/** The questions that are asked with one of `pairs`; `name` tells lists of questions apart. Eight quick runs ask all at most. */
export const askedWith = (
  pair: Pair,
  pairs: ReadonlyArray<Pair>,
  questions: ReadonlyArray<Question>,
  name: string,
): ReadonlyArray<Question> => {
  const apart = Math.min(8, Math.ceil(pairs.length / pairsAtOnce))
  return questions.filter((_, n) => some(pairs, apart, `${name} ${n}`).includes(pair))
}

/** Headers that differ from request to request: when it came, how many there were. */
const apart = /^(?:date|x-ratelimit-.*)$/
/** The queue that a register has made. */
const ownQueue = /"queue_id":"[0-9a-f]+-[0-9a-f-]{36}","last_event_id":\d+/g

/** A number stands for itself only where it is not a part of another. */
const without = (text: string, thing: string): string =>
  text === ""
    ? ""
    : [thing, thing.toUpperCase(), encodeURIComponent(thing)].reduce(
        (left, each) =>
          left.replace(
            new RegExp(`(?<![0-9a-zA-Z])${each.replace(/[.*+?^$|()[\]{}\\]/g, "\\$&")}(?![0-9a-zA-Z])`, "g"),
            "{}",
          ),
        text,
      )

const isRead = ({ method = "GET" }: Pick<Asked, "method">): boolean => method === "GET" || method === "HEAD"

export const makeComparison = (server: TestServer, readers: ReadonlyArray<Reader>) => {
  const connections = new KeptConnections(server.port)
  server.closeAfter(async () => connections.close())

  const ask = async (who: Who, { method = "GET", path, isBare, fields = {}, headers = {} }: Asked) => {
    const inQuery = isRead({ method })
    const form = formOf(fields).toString()
    const answer = await connections.ask({
      method,
      path: `${isBare === undefined ? "/api/v1" : ""}${path}${inQuery && form !== "" ? `?${form}` : ""}`,
      headers: {
        ...(who === null ? {} : { Authorization: basic(server.as(who).account) }),
        ...(inQuery ? {} : { "Content-Type": "application/x-www-form-urlencoded" }),
        ...headers,
      },
      ...(inQuery ? {} : { body: form }),
    })
    if (answer === undefined) throw new Error(`${method} ${path}: the connection was cut`)
    return answer
  }

  const readAll = async (): Promise<string> => {
    const found: Array<string> = []
    for (const reader of readers)
      for (const { id: _, ...event } of await reader.rest())
        found.push(`${reader.person.account.email} ${JSON.stringify(event)}`)
    return found.join("\n")
  }

  /** The highest id of an event so far. Where it is the same as before, all queues are as they were. */
  const newestId = (): number => Math.max(server.realm.feed.newestId, server.realm.hub.newestId)
  /** What it was before the readers were asked last. */
  let readTo = -1

  /** Wanted thousands of times, mostly for nothing: the readers ask only where an id has been given since. */
  const events = async (): Promise<string> => {
    const newest = newestId()
    if (newest === readTo) return ""
    readTo = newest
    return readAll()
  }

  const shown = (answer: RawAnswer, thing: string): string => {
    const headers = [...answer.headers].filter(([name]) => !apart.test(name))
    // The length of an answer may be the same number as an id.
    const lines = headers.map(
      ([name, value]) => `${name}: ${name === "content-length" ? value : without(value, thing)}`,
    )
    return `${answer.status}\n${lines.join("\n")}\n\n${without(answer.body.replace(ownQueue, "a queue"), thing)}`
  }

  /** The outcome of a question: the answer and the events, without what was asked for. */
  const outcome = async (who: Who, asked: Asked, thing: string): Promise<string> => {
    const answer = await ask(who, asked)
    return `${shown(answer, thing)}\n${isRead(asked) ? "" : without(await events(), thing)}`
  }

  return {
    compare: async (t: Test, questions: ReadonlyArray<Question>, { who, hidden, never, what = "" }: Pair) => {
      if (hidden.length !== never.length) throw new Error(`${hidden} and ${never} are not of one length`)
      // Most routes name nothing of most kinds.
      if (questions.length === 0) return
      for (const question of questions) {
        const asked = question("{}")
        const first = isRead(asked) ? undefined : await outcome(who, question(never), never)
        const real = await outcome(who, question(hidden), hidden)
        // A question's own change is made by the first: then the two after it are compared.
        const none = real === first ? first : await outcome(who, question(never), never)
        const { method = "GET", path, fields = {} } = asked
        t.equal(real, none, `${who ?? "a visitor"}, ${what}: ${method} ${path} ${JSON.stringify(fields)}`)
      }
      t.equal(await events(), "", "nobody hears that somebody reads")
    },
    /** The readers ask for what has come, whatever ids were given. */
    nothingLeft: async (t: Test) => t.equal(await readAll(), "", "the queues have nothing that was not heard"),
  }
}
