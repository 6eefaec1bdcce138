/**
 * Shared by the actors of a kill test: the users of the demo organization, requests to the server, and the list of
 * faults. The outcome of a request is what a client can know: an answer, a refused connection, or a lost answer.
 */
import { setTimeout as sleep } from "node:timers/promises"
import * as Predicate from "effect/Predicate"
import { type Account, type Answer, type Fields, request } from "../../kit/client.ts"
import { until } from "../../kit/test-database.ts"
import type { ServerProcess } from "./server-process.ts"

export interface Member extends Account {
  readonly id: number
  readonly isGuest: boolean
  readonly leads: boolean
}

/** The list ends after so many faults: one cause often makes hundreds. */
const mostFaults = 10

export class Faults {
  readonly list: Array<string> = []

  get isFull(): boolean {
    return this.list.length >= mostFaults
  }

  readonly add = (fault: string): void => {
    if (!this.isFull && !this.list.includes(fault)) this.list.push(fault)
  }
}

export interface World {
  readonly server: Pick<ServerProcess, "origin" | "port">
  readonly people: ReadonlyArray<Member>
  readonly faults: Faults
  /** Several processes serve, and a queue is now at one of them, now at another. */
  readonly isMoved?: boolean
  /** False once the actors are to come to an end. */
  readonly running: () => boolean
  /** While true the clients do not write; typists and readers go on. */
  readonly isQuiet: () => boolean
}

/** `refused`: the connection was never made, so the server knows nothing of the request. `lost`: it may. */
export type Outcome =
  | { readonly kind: "answer"; readonly answer: Answer }
  | { readonly kind: "unavailable" }
  | { readonly kind: "refused" }
  | { readonly kind: "lost" }

const isRefusal = (error: unknown): boolean => Predicate.hasProperty(error, "code") && error.code === "ECONNREFUSED"

/** A request by `account`. Any 503 must say what it is and when to come back. */
export const ask = async (
  { server, faults }: Pick<World, "server" | "faults">,
  account: Account,
  method: string,
  path: string,
  fields: Fields,
  signal?: AbortSignal,
): Promise<Outcome> => {
  try {
    const options = signal === undefined ? { account } : { account, signal }
    const answer = await request(server.origin, method, path, fields, options)
    if (answer.status !== 503) return { kind: "answer", answer }
    if (answer.body["code"] !== "SERVICE_UNAVAILABLE" || !/^\d+$/.test(answer.headers.get("Retry-After") ?? ""))
      faults.add(`a 503 without code or Retry-After: ${JSON.stringify(answer.body)}`)
    return { kind: "unavailable" }
  } catch (error) {
    // Broken JSON in a whole answer is not a lost connection.
    if (error instanceof SyntaxError) throw error
    return { kind: isRefusal(error) ? "refused" : "lost" }
  }
}

/** A pause between two writes of an actor, longer while the world is to be quiet. */
export const rest = async (world: World, milliseconds: number): Promise<void> => {
  await sleep(milliseconds)
  while (world.isQuiet() && world.running()) await sleep(10)
}

/** As `ask`, again and again until there is an answer, which must be a success. */
export const must = async (
  world: Pick<World, "server" | "faults">,
  account: Account,
  method: string,
  path: string,
  fields: Fields,
): Promise<Answer["body"]> => {
  const giveUpAt = performance.now() + 60_000
  while (performance.now() < giveUpAt) {
    const outcome = await ask(world, account, method, path, fields)
    if (outcome.kind === "answer") {
      const { status, body } = outcome.answer
      if (status === 200) return body
      throw new Error(`${method} ${path} was answered with ${status}: ${JSON.stringify(body)}`)
    }
    await sleep(20)
  }
  throw new Error(`${method} ${path} got no answer for a minute`)
}

const names = ["owner", "admin", "moderator", "member", "guest", "bot"] as const

/** The demo accounts with their keys, which outlive any number of restarts. */
export const meet = (world: Pick<World, "server" | "faults">): Promise<ReadonlyArray<Member>> =>
  Promise.all(
    names.map(async (name) => {
      const email = `${name}@demo.example`
      const body = await must(world, { email, key: "none" }, "POST", "/dev_fetch_api_key", { username: email })
      const leads = name === "owner" || name === "admin" || name === "moderator"
      return { email, key: String(body["api_key"]), id: Number(body["user_id"]), isGuest: name === "guest", leads }
    }),
  )

/**
 * Waits until the demo's picture is shown by its thumbnail. The server changes the message then, by itself: after the readers
 * had come to their end, that would be an event that nobody has read.
 */
export const meetPicture = async (
  world: Pick<World, "server" | "faults">,
  people: ReadonlyArray<Member>,
): Promise<void> => {
  const [member] = people
  if (member === undefined) throw new Error("there is nobody")
  await until("the demo's picture is shown", 60_000, async () => {
    const fields = { anchor: "newest", num_before: 1000, num_after: 0 }
    const { messages } = await must(world, member, "GET", "/messages", fields)
    const shown = JSON.stringify(messages)
    return shown.includes("/user_uploads/thumbnail/") && !shown.includes("image-loading-placeholder")
  })
}
