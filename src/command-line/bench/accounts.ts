/** The accounts that send and read: named by arguments, in a file, or those that a server in development mode gives. */
import { readFileSync } from "node:fs"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { type Account, Client, isRefused } from "../../client/index.ts"
import { BenchImpossible } from "./bench-impossible.ts"

const One = Schema.Struct({
  email: Schema.String,
  api_key: Schema.optional(Schema.String),
  apiKey: Schema.optional(Schema.String),
})
const Listed = Schema.decodeUnknownOption(
  Schema.fromJsonString(Schema.Union([Schema.Array(One), Schema.Struct({ people: Schema.Array(One) })])),
)

/** Accounts of a file: a list, or the line of `parley test-server --json`, which has one as `people`. */
export const accountsIn = (text: string): ReadonlyArray<Account> | undefined => {
  const read = Option.getOrUndefined(Listed(text))
  if (read === undefined) return undefined
  return ("people" in read ? read.people : read).flatMap(({ email, api_key, apiKey = api_key }) =>
    apiKey === undefined ? [] : [{ email, apiKey }],
  )
}

const readAccounts = (file: string): ReadonlyArray<Account> => {
  // Not shown: it holds a key.
  if (/^\S+@\S+:/.test(file)) throw new BenchImpossible("--accounts takes a file: an account is named by --account")
  let text: string
  try {
    text = readFileSync(file, "utf8")
  } catch (error) {
    throw new BenchImpossible(`--accounts ${file} cannot be read: ${error instanceof Error ? error.message : error}`)
  }
  const accounts = accountsIn(text)
  if (accounts === undefined || accounts.length === 0)
    throw new BenchImpossible(
      `--accounts ${file} holds no accounts: expected a JSON list of {"email": ..., "api_key": ...}`,
    )
  return accounts
}

const mostDevelopers = 4

/** Asked of a server in development mode. */
export const keyOf = async (client: Client, username: string, signal: AbortSignal): Promise<Account> => {
  const { api_key } = await client.call("POST /dev_fetch_api_key", { username }, { signal })
  return { email: username, apiKey: api_key }
}

/** In development mode everybody gets a key for the asking. */
const developers = async (server: string, signal: AbortSignal): Promise<ReadonlyArray<Account>> => {
  const client = new Client({ server })
  try {
    const { direct_admins, direct_users } = await client.call("GET /dev_list_users", {}, { signal })
    const emails = [...direct_admins, ...direct_users].slice(0, mostDevelopers).map(({ email }) => email)
    return await Promise.all(emails.map((email) => keyOf(client, email, signal)))
  } catch (error) {
    signal.throwIfAborted()
    if (!isRefused(error, "GET /dev_list_users") && !isRefused(error, "POST /dev_fetch_api_key")) throw error
    throw new BenchImpossible(
      `${server} gives no keys, because it is in production: name accounts by --account or --accounts`,
    )
  }
}

export interface AccountSources {
  readonly server: string
  readonly named: ReadonlyArray<Account>
  readonly file: string | null
  readonly signal: AbortSignal
}

export const findAccounts = async ({
  server,
  named,
  file,
  signal,
}: AccountSources): Promise<ReadonlyArray<Account>> => {
  const accounts = [...named, ...(file === null ? [] : readAccounts(file))]
  if (accounts.length > 0) return accounts
  const found = await developers(server, signal)
  if (found.length === 0) throw new BenchImpossible(`${server} has nobody: name accounts by --account or --accounts`)
  return found
}
