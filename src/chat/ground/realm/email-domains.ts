/** The domains to which an organization may restrict the addresses of new accounts. A part of the projection. */
import { disposableEmailBlocklistSet } from "disposable-email-domains-js"
import * as Schema from "effect/Schema"
import { projectionPart } from "./projection-part.ts"
import type { Realm } from "./realm.ts"

export const DomainRecord = Schema.Struct({
  id: Schema.Number,
  /** In lower case. */
  domain: Schema.String,
  allow_subdomains: Schema.Boolean,
})
export type DomainRecord = typeof DomainRecord.Type

export class EmailDomains {
  readonly #byName = new Map<string, DomainRecord>()

  /** In the order in which they were added. */
  get all(): ReadonlyArray<DomainRecord> {
    return [...this.#byName.values()].sort((a, b) => a.id - b.id)
  }

  get(domain: string): DomainRecord | undefined {
    return this.#byName.get(domain)
  }

  set(record: DomainRecord): void {
    this.#byName.set(record.domain, record)
  }

  remove(domain: string): void {
    this.#byName.delete(domain)
  }

  /** Whether one of them is the domain of an address, or may be above it. */
  admits(address: string): boolean {
    let domain = address.slice(address.lastIndexOf("@") + 1).toLowerCase()
    if (this.#byName.has(domain)) return true
    for (let dot = domain.indexOf("."); dot >= 0; dot = domain.indexOf(".")) {
      domain = domain.slice(dot + 1)
      if (this.#byName.get(domain)?.allow_subdomains === true) return true
    }
    return false
  }
}

export const realmDomains = projectionPart({
  name: "realm_domains",
  load: "load_realm_domains_v1",
  stored: Schema.Array(DomainRecord),
  empty: () => new EmailDomains(),
  fill: (domains, stored) => {
    for (const record of stored) domains.set(record)
  },
  plain: (domains) => domains.all,
})

/** Domains of services that lend an address to anybody, for minutes: whoever comes by one cannot be found again. */
const lending: ReadonlySet<string> = disposableEmailBlocklistSet()

/** Whether the domain of an address is one of theirs, or below one. */
const isLent = (address: string): boolean => {
  let domain = address.slice(address.lastIndexOf("@") + 1).toLowerCase()
  while (domain.includes(".")) {
    if (lending.has(domain)) return true
    domain = domain.slice(domain.indexOf(".") + 1)
  }
  return false
}

/** Of more, the first ones are told. */
const mostTold = 10

const allowed = (domains: ReadonlyArray<DomainRecord>): string => {
  if (domains.length === 0) return "No domain is allowed."
  const told = domains.slice(0, mostTold)
  const names = told.map(({ domain, allow_subdomains }) => (allow_subdomains ? `${domain} (and below it)` : domain))
  const more = domains.length - told.length
  return `Allowed: ${names.join(", ")}${more === 0 ? "" : `, and ${more} more`}.`
}

/**
 * Why nobody may come by an address: a plus sign makes many of one. Undefined if they may. It names the allowed domains, which
 * everybody with an account reads, and nobody else. What operators make by the command line is not asked about.
 */
export const addressFault = (realm: Pick<Realm, "settings" | "part">, address: string): string | undefined => {
  if (!realm.settings.emails_restricted_to_domains)
    return realm.settings.disallow_disposable_email_addresses && isLent(address)
      ? "Please use your real email address."
      : undefined
  if (address.slice(0, address.lastIndexOf("@")).includes("+")) return "Email addresses containing + are not allowed."
  const domains = realm.part(realmDomains)
  return domains.admits(address) ? undefined : `Outside your domain. ${allowed(domains.all)}`
}
