/**
 * Linkifiers as rows and events, and their sections of register. A row has the whole list: there are few, their order
 * counts, and so does the event.
 */
import * as Schema from "effect/Schema"
import { toRealm } from "../../../events/audience.ts"
import { eventKind } from "../../ground/kinds/event-kind.ts"
import { noEvents, oneEvent, requireStoredRow } from "../../ground/kinds/event-kind-helpers.ts"
import { emptySection, section } from "../../ground/kinds/section.ts"
import { Id, NoItems, plainEvent } from "../../ground/wire/wire-values.ts"
import { LinkifierList, linkifiers } from "../../text/linkifiers/linkifiers.ts"

const type = "realm_linkifiers"

/** As clients read them. */
export const Linkifiers = Schema.Array(
  Schema.Struct({ id: Id, pattern: Schema.NonEmptyString, url_template: Schema.NonEmptyString }),
)

/** Changes are judged on the list, which each of them states whole, so they change the rules of the next one. */
export const linkifierKind = eventKind({
  type,
  payload: LinkifierList,
  changesRules: true,
  applyFunction: "apply_realm_linkifiers_v1",
  applyToProjection: (realm, list) => realm.part(linkifiers).set(list),
  events: { "": plainEvent(type, { realm_linkifiers: Linkifiers }) },
  sections: [type],
  wireForm: (_past, read) => ({
    personal: false,
    variant: (_body, { linkifierTemplates }) => String(linkifierTemplates),
    // A client that does not know the templates has no linkifiers.
    wire: (body, { linkifierTemplates }) =>
      linkifierTemplates
        ? oneEvent({ type, realm_linkifiers: read(requireStoredRow(body).payload).linkifiers })
        : noEvents,
  }),
})

export const linkifierRow = (list: LinkifierList) => linkifierKind.change(list, toRealm)

export const linkifierSections = [
  section(type, { realm_linkifiers: Linkifiers }, ({ realm }, { linkifierTemplates }) => ({
    realm_linkifiers: linkifierTemplates ? realm.part(linkifiers).list.linkifiers : [],
  })),
  // The section of older clients, in a form that this level of the API does not have any more.
  emptySection("realm_filters", { realm_filters: NoItems }, { realm_filters: [] }),
]
