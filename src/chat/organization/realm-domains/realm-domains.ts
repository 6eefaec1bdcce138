/**
 * /realm/domains: the domains of the addresses that new accounts may have where the organization restricts them
 * (`emails_restricted_to_domains`). Everybody with an account reads them, administrators change them.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { dataReply, noFields, userEndpoint } from "../../../api/endpoint.ts"
import { badRequest, type Checked } from "../../../api/errors.ts"
import { boolean, mapped, text, withDefault } from "../../../api/params.ts"
import { toRealm } from "../../../events/audience.ts"
import { change, done, type Judgement, refused } from "../../../events/command.ts"
import { realmRows } from "../../ground/kinds/realm-row.ts"
import { mayChangeRealm, ranksTooLow } from "../../ground/permissions/permissions.ts"
import { realmDomains } from "../../ground/realm/email-domains.ts"
import { requireAccount } from "../../ground/requester/requester.ts"
import { submitAs } from "../../ground/requester/submit.ts"
import { Id } from "../../ground/wire/wire-values.ts"
import { Domain, domainRow, shownDomains } from "./realm-domain-event.ts"

/** Every register has all of them. */
const mostDomains = 200
/** Of a name in the domain name system. */
const longestDomain = 253

const domainFault = (domain: string): string | undefined => {
  if (domain === "") return "Domain can't be empty."
  if (!domain.includes(".")) return "Domain must have at least one dot (.)"
  if (domain.startsWith(".") || domain.endsWith(".")) return "Domain cannot start or end with a dot (.)"
  const labels = domain.split(".")
  if (labels.includes("")) return "Consecutive '.' are not allowed."
  if (labels.some((label) => label.startsWith("-") || label.endsWith("-")))
    return "Subdomains cannot start or end with a '-'."
  return /^[a-z0-9.-]+$/.test(domain) ? undefined : "Domain can only have letters, numbers, '.' and '-'s."
}

const readDomain = (raw: string): Checked<string> => {
  const domain = raw.trim().toLowerCase()
  const fault = domainFault(domain)
  return fault === undefined ? Result.succeed(domain) : Result.fail(badRequest(`Invalid domain: ${fault}`))
}

const newDomain = mapped(text("domain", { max: longestDomain }), readDomain)
const domainParam = mapped(text("domain", { max: longestDomain }), (raw) => Result.succeed(raw.trim().toLowerCase()))
const allowSubdomains = withDefault(boolean("allow_subdomains"), false)

const notFound = (domain: string) => badRequest(`No entry found for domain ${domain}.`)

const getDomains = userEndpoint({
  method: "GET",
  path: "/realm/domains",
  summary: "The domains to which the addresses of new accounts may be restricted.",
  params: {},
  reply: Schema.Struct({ domains: Schema.Array(Domain) }),
  errors: [],
  run: Effect.fnUntraced(function* (caller) {
    const { realm } = yield* requireAccount(caller)
    return dataReply({ domains: shownDomains(realm) })
  }),
})

const postDomain = userEndpoint({
  method: "POST",
  path: "/realm/domains",
  fresh: "onRefusal",
  summary: "Adds a domain of addresses that new accounts may have.",
  params: { domain: newDomain, allowSubdomains },
  reply: Schema.Struct({ new_domain: Schema.Tuple([Id, Schema.NonEmptyString]) }),
  errors: ["UNAUTHORIZED_PRINCIPAL"],
  run: Effect.fnUntraced(function* (caller, { params: { domain, allowSubdomains } }) {
    const id = yield* submitAs(caller, (realm, actor): Judgement<number> => {
      if (!mayChangeRealm(actor)) return refused(ranksTooLow(actor))
      const domains = realm.part(realmDomains)
      if (domains.get(domain) !== undefined)
        return refused(badRequest(`The domain ${domain} is already a part of your organization.`))
      const { all } = domains
      if (all.length >= mostDomains) return refused(badRequest(`There can be ${mostDomains} domains at most.`))
      const id = 1 + Math.max(0, ...all.map((each) => each.id))
      const record = { id, domain, allow_subdomains: allowSubdomains }
      return change([domainRow({ op: "add", record })], { answer: () => id })
    })
    return dataReply({ new_domain: [id, domain] })
  }),
})

const patchDomain = userEndpoint({
  method: "PATCH",
  path: "/realm/domains/{domain}",
  fresh: "onRefusal",
  summary: "Says whether addresses of subdomains count, too.",
  params: { domain: domainParam, allowSubdomains },
  reply: noFields,
  errors: ["UNAUTHORIZED_PRINCIPAL"],
  run: Effect.fnUntraced(function* (caller, { params: { domain, allowSubdomains } }) {
    yield* submitAs(caller, (realm, actor): Judgement<void> => {
      if (!mayChangeRealm(actor)) return refused(ranksTooLow(actor))
      const before = realm.part(realmDomains).get(domain)
      if (before === undefined) return refused(notFound(domain))
      if (before.allow_subdomains === allowSubdomains) return done(undefined)
      return change([domainRow({ op: "change", record: { ...before, allow_subdomains: allowSubdomains } })])
    })
    return dataReply()
  }),
})

/** With the last domain goes the restriction, which nobody could meet. */
const deleteDomain = userEndpoint({
  method: "DELETE",
  path: "/realm/domains/{domain}",
  fresh: "onRefusal",
  summary: "Removes a domain.",
  params: { domain: domainParam },
  reply: noFields,
  errors: ["UNAUTHORIZED_PRINCIPAL"],
  run: Effect.fnUntraced(function* (caller, { params: { domain } }) {
    yield* submitAs(caller, (realm, actor): Judgement<void> => {
      if (!mayChangeRealm(actor)) return refused(ranksTooLow(actor))
      const domains = realm.part(realmDomains)
      if (domains.get(domain) === undefined) return refused(notFound(domain))
      const isLast = domains.all.length === 1 && realm.settings.emails_restricted_to_domains
      const opened = { op: "update", key: "emails_restricted_to_domains", value: false } as const
      return change([domainRow({ op: "remove", domain }), ...(isLast ? [realmRows.change(opened, toRealm)] : [])])
    })
    return dataReply()
  }),
})

export const domainEndpoints = [getDomains, postDomain, patchDomain, deleteDomain]
