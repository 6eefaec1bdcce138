/** Where an organization that people make by themselves is served: at a name of their choice below the operator's domain. */
import * as Result from "effect/Result"
import { badRequest, type Checked } from "../../../api/errors.ts"
import type { ConfigShape } from "../../../config/config.ts"

const shortest = 3
const longest = 40
const shape = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/

/** What belongs to whoever runs the server and the domain, or is taken for theirs. */
const reserved: ReadonlySet<string> = new Set(
  `about abuse accounts admin administrator api app apps assets auth autoconfig autodiscover billing blog cdn chat conference
  contact demo dev development dns docs download email events files ftp git help host hostmaster imap info internal invite join
  ldap legal list lists localhost login mail mailer-daemon mailman master media mobile mta-sts mx new news noreply ns ns1 ns2
  official owner parley ping pop pop3 portal postmaster privacy prod production proxy push registry root search security server
  service signin signup smtp sso staging static stats status stream support sysadmin system team teams terms test testing tls
  updates uploads user users webmail webmaster wiki wpad www www1 www2 xmpp zulip`.split(/\s+/),
)

export const hostTakenError = badRequest("That address is taken, or reserved: choose another.")

/** The host of a label below the domain. */
export const hostAt = (label: string, domain: string): string => `${label}.${domain}`

/** The address at which the organization will be reached, without a trailing slash. */
export const originAt = (host: string, origin: string): string => {
  const url = new URL(origin)
  url.hostname = host
  return url.origin
}

/** The part of the address that is chosen, as it was entered. */
export const readLabel = (
  raw: string,
  domain: string,
  { externalUrl }: Pick<ConfigShape, "externalUrl">,
): Checked<string> => {
  const label = raw.trim().toLowerCase()
  if (label.length < shortest || label.length > longest || !shape.test(label))
    return Result.fail(
      badRequest(
        `The address of an organization has ${shortest} to ${longest} letters from a to z, digits and hyphens, and neither begins nor ends with a hyphen.`,
      ),
    )
  // `xn--` begins a name in another script, that may look like any other.
  const isReserved = reserved.has(label) || label.startsWith("xn--")
  const isServers = externalUrl !== null && new URL(externalUrl).hostname === hostAt(label, domain)
  return isReserved || isServers ? Result.fail(hostTakenError) : Result.succeed(label)
}
