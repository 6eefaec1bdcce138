/** What the scenario `restore` fills an organization with, and what a restore makes anew. */
import { emailOf } from "../target/people.ts"

export const people = 20
export const channels = 100

/** One person of each role; all others are members. */
export const roles = [
  { name: "owner", id: 1, role: 100 },
  { name: "administrator", id: 2, role: 200 },
  { name: "moderator", id: 3, role: 300 },
  { name: "member", id: 4, role: 400 },
  { name: "guest", id: 5, role: 600 },
].map((each) => ({ ...each, email: emailOf(each.id) }))

/** Columns that a restore, or the server that starts after it, makes anew: the log's epoch, and who holds the log. */
export const renewed: Readonly<Record<string, ReadonlyArray<string>>> = { realm: ["epoch"], realm_lock: ["holder"] }

/** Of an answer to register, what is another one each time that it is asked. */
export const ownOfRegister = ["queue_id", "server_timestamp"] as const
