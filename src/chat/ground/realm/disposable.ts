/** Services that lend an address to anybody, for minutes: whoever comes by one cannot be found again. */
import { disposableEmailBlocklistSet } from "disposable-email-domains-js"

/** 170 KB of names, read when they are first asked about: most organizations never ask. */
let domains: ReadonlySet<string> | undefined

/** Whether the domain of an address is one of theirs, or below one. */
export const isDisposable = (address: string): boolean => {
  domains ??= disposableEmailBlocklistSet()
  let domain = address.slice(address.lastIndexOf("@") + 1).toLowerCase()
  while (domain.includes(".")) {
    if (domains.has(domain)) return true
    domain = domain.slice(domain.indexOf(".") + 1)
  }
  return false
}
