/** The server behind a `TestServer`, be it in this process (local-server.ts) or in another (child-server.ts). */
import type { AppOptions } from "../app.ts"
import type { DatabaseConfig } from "../config/config.ts"
import type { TestOrganization } from "./organizations.ts"
import type { Person, ServerFaults, TestClock } from "./types.ts"

/** Where the data of one server is. */
export interface ServerStorage {
  readonly config: DatabaseConfig
  /** The database for one start of a server. */
  readonly layer: () => NonNullable<AppOptions["database"]>
  /** Whether the organization is surely there. */
  readonly isFilled: boolean
  readonly giveBack: () => Promise<void>
}

/** Puts an organization into an empty database, by a server that is started and stopped for that. */
export type FillDatabase = (
  organization: TestOrganization,
  storage: Pick<ServerStorage, "config" | "layer">,
) => Promise<void>

export interface ServerCore {
  readonly port: number
  /** Those whom the organization has at its start. */
  readonly people: ReadonlyArray<Person>
  readonly clock: TestClock
  readonly faults: ServerFaults
  /** Ends all faults, so that what waits for them can end. */
  readonly calm: () => void
  readonly kill: () => Promise<void>
  readonly restart: () => Promise<void>
  /** Ends the server, and answers what is left of it. */
  readonly end: () => Promise<ReadonlyArray<string>>
}

const rolesByNumber: Readonly<Record<number, Person["role"]>> = {
  100: "owner",
  200: "administrator",
  300: "moderator",
  400: "member",
  600: "guest",
}
export const roleOf = (role: number): Person["role"] => rolesByNumber[role] ?? "member"
export const roleNumber = (role: Person["role"]): number =>
  Number(Object.keys(rolesByNumber).find((number) => rolesByNumber[Number(number)] === role))

/** `hamlet` of `hamlet@demo.example`. */
export const nameOf = (email: string): string => email.slice(0, email.indexOf("@"))
