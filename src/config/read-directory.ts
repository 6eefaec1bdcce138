/**
 * Puts the settings of a directory (LDAP) together, or says in one line what is wrong with them: each is acceptable when
 * it comes here, but some need others or exclude them. Called by read-settings.ts.
 */
import * as Result from "effect/Result"
import type { DirectoryConfig, DirectorySearch } from "./config.ts"
import { directorySettings } from "./directory-settings.ts"
import type { Setting } from "./setting.ts"

/** The settings as they were given; null: not given. */
export interface GivenDirectory {
  readonly ldapUrl: string | null
  readonly ldapTls: "on" | "off" | null
  readonly ldapBindDn: string | null
  readonly ldapBindPassword: string | null
  readonly ldapBase: string | null
  readonly ldapFilter: string | null
  readonly ldapDnTemplate: string | null
  readonly ldapEmailAttribute: string | null
}
type Name = keyof GivenDirectory

const names: ReadonlyArray<Name> = [
  "ldapTls",
  "ldapBindDn",
  "ldapBindPassword",
  "ldapBase",
  "ldapFilter",
  "ldapDnTemplate",
  "ldapEmailAttribute",
]

/** Settings that are needed to look for an entry, and of no use where it is known by a template. */
const ofSearch: ReadonlyArray<Name> = ["ldapBindDn", "ldapBindPassword", "ldapBase", "ldapFilter"]

const variable = (name: Name): string => directorySettings[name].env
const needed = ({ env, expected }: Setting<unknown>, why: string) =>
  Result.fail(`${env} is needed ${why}: expected ${expected}`)

const findSearch = (given: GivenDirectory): Result.Result<DirectorySearch, string> => {
  const { ldapDnTemplate: dn, ldapBindDn: bindDn, ldapBindPassword: bindPassword, ldapBase: base } = given
  if (dn !== null) {
    const surplus = ofSearch.find((name) => given[name] !== null)
    return surplus === undefined
      ? Result.succeed({ kind: "template", dn })
      : Result.fail(`${variable(surplus)} is of no use with ${variable("ldapDnTemplate")}: set one of them only`)
  }
  const why = `with ${variable("ldapUrl")}, unless ${variable("ldapDnTemplate")} is set`
  if (bindDn === null) return needed(directorySettings.ldapBindDn, why)
  if (bindPassword === null) return needed(directorySettings.ldapBindPassword, why)
  if (base === null) return needed(directorySettings.ldapBase, why)
  return Result.succeed({ kind: "search", bindDn, bindPassword, base, filter: given.ldapFilter ?? "(uid={name})" })
}

/** Whether the name as a whole is compared with addresses, wherever it stands. */
const comparesAddresses = (search: DirectorySearch, emailAttribute: string): boolean => {
  const text = search.kind === "search" ? search.filter : search.dn
  const compared = new RegExp(`(^|[(,+])\\s*${emailAttribute}=\\{name\\}(?=[),+]|$)`, "gi")
  return !text.replaceAll(compared, "").includes("{name}")
}

/** The directory; null where none is set. */
export const directoryOf = (given: GivenDirectory): Result.Result<DirectoryConfig | null, string> => {
  const { ldapUrl: url, ldapTls, ldapEmailAttribute } = given
  if (url === null) {
    const stray = names.find((name) => given[name] !== null)
    return stray === undefined ? Result.succeed(null) : needed(directorySettings.ldapUrl, `with ${variable(stray)}`)
  }
  const isSafe = /^ldaps:/i.test(url)
  if (isSafe && ldapTls === "off")
    return Result.fail(`${variable("ldapTls")} is off, but ${variable("ldapUrl")} begins with ldaps://`)
  const emailAttribute = ldapEmailAttribute ?? "mail"
  return Result.map(findSearch(given), (search) => ({
    url,
    startTls: !isSafe && ldapTls !== "off",
    search,
    emailAttribute,
    namesAreAddresses: comparesAddresses(search, emailAttribute),
  }))
}
