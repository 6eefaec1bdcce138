/** Domains as rows and events, and their section of register. */
import * as Schema from "effect/Schema"
import { toRealm } from "../../../events/audience.ts"
import { eventKind } from "../../ground/kinds/event-kind.ts"
import { oneEvent } from "../../ground/kinds/event-kind-helpers.ts"
import { section } from "../../ground/kinds/section.ts"
import { DomainRecord, realmDomains } from "../../ground/realm/email-domains.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import { opEvent } from "../../ground/wire/wire-values.ts"

const type = "realm_domains"

/** As clients read it. */
export const Domain = Schema.Struct({ domain: Schema.NonEmptyString, allow_subdomains: Schema.Boolean })

const Payload = Schema.Union([
  Schema.Struct({ op: Schema.Literals(["add", "change"]), record: DomainRecord }),
  Schema.Struct({ op: Schema.Literal("remove"), domain: Schema.String }),
])
type Payload = typeof Payload.Type

const wireDomain = ({ domain, allow_subdomains }: DomainRecord) => ({ domain, allow_subdomains })

/** Who may come is judged by them. */
export const realmDomainKind = eventKind({
  type,
  payload: Payload,
  changesRules: true,
  applyFunction: "apply_realm_domains_v1",
  applyToProjection: (realm, payload) => {
    const domains = realm.part(realmDomains)
    if (payload.op === "remove") domains.remove(payload.domain)
    else domains.set(payload.record)
  },
  events: {
    add: opEvent(type, "add", { realm_domain: Domain }),
    change: opEvent(type, "change", { realm_domain: Domain }),
    remove: opEvent(type, "remove", { domain: Schema.NonEmptyString }),
  },
  sections: [type],
  wire: (payload) =>
    payload.op === "remove"
      ? oneEvent({ type, op: payload.op, domain: payload.domain })
      : oneEvent({ type, op: payload.op, realm_domain: wireDomain(payload.record) }),
})

export const domainRow = (payload: Payload) => realmDomainKind.change(payload, toRealm)

export const shownDomains = (realm: Realm) => realm.part(realmDomains).all.map(wireDomain)

/** A visitor without an account learns nothing of who may come. */
export const realmDomainSection = section(type, { [type]: Schema.Array(Domain) }, ({ realm, user }) => ({
  [type]: user === null ? [] : shownDomains(realm),
}))
