/**
 * What the capabilities bring, as the server knows it: every kind of event and every section of register. The lists are in
 * chat/capabilities.ts; app.ts provides them to those that work with all of them, whatever they are.
 */
import * as Context from "effect/Context"
import type { EventKind } from "./event-kind.ts"
import type { Section } from "./section.ts"

/** By type. */
export type EventKinds = ReadonlyMap<string, EventKind>

interface CatalogShape {
  readonly kinds: EventKinds
  readonly sections: ReadonlyArray<Section>
}

export class Catalog extends Context.Service<Catalog, CatalogShape>()("parley/chat/Catalog") {
  /** Throws where two kinds have one type, or two sections one name. */
  static readonly listing = (kinds: ReadonlyArray<EventKind>, sections: ReadonlyArray<Section>): CatalogShape => {
    const byType = new Map(kinds.map((kind) => [kind.type, kind]))
    if (byType.size < kinds.length) throw new Error("two kinds of events have the same type")
    if (new Set(sections.map(({ name }) => name)).size < sections.length) throw new Error("two sections have one name")
    return { kinds: byType, sections }
  }
}
