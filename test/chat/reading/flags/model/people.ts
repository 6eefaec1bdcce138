/** The people of a run, and the channels in which they take part. */
import type { Name } from "../../../../kit/with-server.ts"

export const people = ["hamlet", "cordelia", "othello", "iago"] as const satisfies ReadonlyArray<Name>
export type Person = (typeof people)[number]

/**
 * Those who may read what they do not hold: in a public channel all who are here, in a private one whose history is
 * shared its present subscribers, in a private one whose history is not shared nobody.
 */
export type History = "public" | "shared" | "own"

export const channels = [
  { name: "lobby", users: ["hamlet", "cordelia"], history: "public" },
  { name: "square", users: ["hamlet", "othello"], history: "public" },
  { name: "den", users: ["cordelia", "othello", "hamlet"], history: "own" },
  { name: "vault", users: ["cordelia", "iago"], history: "shared" },
] as const satisfies ReadonlyArray<{
  readonly name: string
  readonly users: ReadonlyArray<Person>
  readonly history: History
}>

/** Topics are compared without regard to case. */
export const topics = ["plans", "Plans", "", "other"]
