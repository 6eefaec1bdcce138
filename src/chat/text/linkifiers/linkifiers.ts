/** The linkifiers of an organization: a part of the projection. */
import * as Schema from "effect/Schema"
import { projectionPart } from "../../ground/realm/projection-part.ts"

/** A pattern whose matches in messages become links, by a template that makes the address. */
export const LinkifierRecord = Schema.Struct({ id: Schema.Number, pattern: Schema.String, url_template: Schema.String })
export type LinkifierRecord = typeof LinkifierRecord.Type

/** All linkifiers, in the order in which they are looked for. Ids up to `last_id` were given already. */
export const LinkifierList = Schema.Struct({ last_id: Schema.Number, linkifiers: Schema.Array(LinkifierRecord) })
export type LinkifierList = typeof LinkifierList.Type

const isSame = (a: LinkifierRecord, b: LinkifierRecord) =>
  a.id === b.id && a.pattern === b.pattern && a.url_template === b.url_template

export class Linkifiers {
  #list: LinkifierList = { last_id: 0, linkifiers: [] }

  /** The object is replaced whenever one of them changes. */
  get list(): LinkifierList {
    return this.#list
  }

  /** One that has not changed stays the same object: what is made of its pattern is kept by it. */
  set({ last_id, linkifiers }: LinkifierList): void {
    const before = this.#list.linkifiers
    const kept = linkifiers.map((each) => before.find((known) => isSame(known, each)) ?? each)
    this.#list = { last_id, linkifiers: kept }
  }
}

export const linkifiers = projectionPart({
  name: "linkifiers",
  load: "load_realm_linkifiers_v1",
  stored: LinkifierList,
  empty: () => new Linkifiers(),
  fill: (linkifiers, list) => linkifiers.set(list),
  plain: ({ list }) => list,
})
