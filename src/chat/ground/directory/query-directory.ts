/**
 * Asks the directory whose a name and a password are: finds the one entry that is meant, and signs in as it (a bind). The
 * client library is loaded with this file, which directory.ts loads only where a directory is configured. No referral is
 * followed: what another server would say is not known here, so who is only there is nobody.
 */
import { randomBytes } from "node:crypto"
import { type Client, ResultCodeError } from "ldapts"
import type { DirectoryConfig, DirectorySearch } from "../../../config/config.ts"
import { dnFor, filterFor } from "./escape-names.ts"
import { clientOn, openConnection } from "./ldap-connection.ts"

interface DirectoryEntry {
  readonly dn: string
  readonly [attribute: string]: unknown
}

/**
 * Answers to a bind that are about the entry: it is elsewhere (10), a limit of its own (19), it is not there (32), its
 * name can be nobody's (34), it has no password (48), another one (49), may not sign in (50), or not now (53). Any other
 * says that the directory does not do its work.
 */
const refusals: ReadonlySet<number> = new Set([10, 19, 32, 34, 48, 49, 50, 53])
const isAboutEntry = (code: number): boolean => refusals.has(code)
/** To a name that is made up a directory may answer anything: the search has said before that nobody has the name. */
const isAboutNobody = (): boolean => true

/**
 * Whether the password is the entry's. Without one a directory may answer success and mean that nobody has signed in, as
 * it may for an entry without a name (RFC 4513, 5.1.2): neither is ever asked. `saysNo`: whether an answer's code is about the
 * entry.
 */
const isPasswordOf = async (
  client: Client,
  dn: string,
  password: string,
  saysNo: (code: number) => boolean,
): Promise<boolean> => {
  if (password === "" || !/^[^=]+=./.test(dn)) return false
  try {
    await client.bind(dn, password)
    return true
  } catch (fault) {
    if (fault instanceof ResultCodeError && saysNo(fault.code)) return false
    throw fault
  }
}

/** The one entry that the name means; none, too, where it means several. */
const findEntry = async (
  client: Client,
  { bindDn, bindPassword, base, filter }: Extract<DirectorySearch, { readonly kind: "search" }>,
  name: string,
  attribute: string,
): Promise<DirectoryEntry | undefined> => {
  await client.bind(bindDn, bindPassword)
  const { searchEntries } = await client.search(base, {
    scope: "sub",
    filter: filterFor(filter, name),
    attributes: [attribute],
    sizeLimit: 2,
  })
  return searchEntries.length === 1 ? searchEntries[0] : undefined
}

/** The entry of the name, if the password is its own. */
const signIn = async (
  client: Client,
  { search, emailAttribute }: DirectoryConfig,
  name: string,
  password: string,
): Promise<DirectoryEntry | undefined> => {
  if (search.kind === "template") {
    const dn = dnFor(search.dn, name)
    if (!(await isPasswordOf(client, dn, password, isAboutEntry))) return undefined
    const { searchEntries } = await client.search(dn, { scope: "base", attributes: [emailAttribute], sizeLimit: 1 })
    return searchEntries[0]
  }
  const entry = await findEntry(client, search, name, emailAttribute)
  // The password is checked even where there is no such person, so that the answer takes as long.
  const dn = entry?.dn ?? `cn=${randomBytes(8).toString("hex")},${search.base}`
  const saysNo = entry === undefined ? isAboutNobody : isAboutEntry
  return (await isPasswordOf(client, dn, password, saysNo)) ? entry : undefined
}

const isText = (value: unknown): value is string => typeof value === "string"

/** The texts of an attribute, whose name the directory may write in its own way. */
const textsOf = (entry: DirectoryEntry, attribute: string): ReadonlyArray<string> =>
  Object.entries(entry)
    .filter(([name]) => name.toLowerCase() === attribute.toLowerCase())
    .flatMap(([, value]) => value)
    .filter(isText)

/**
 * The addresses of the entry that the name and the password belong to; none if there is no such entry. Fails if the
 * directory cannot be asked, answers an error, or has not answered when `signal` ends.
 */
export const queryDirectory = async (
  config: DirectoryConfig,
  name: string,
  password: string,
  signal: AbortSignal,
): Promise<ReadonlyArray<string>> => {
  const connection = await openConnection(config, signal)
  try {
    const entry = await signIn(clientOn(connection), config, name, password)
    return entry === undefined ? [] : textsOf(entry, config.emailAttribute)
  } finally {
    connection.destroy()
  }
}
