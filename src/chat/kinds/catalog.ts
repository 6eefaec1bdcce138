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

const requireDistinct = (what: string, names: ReadonlyArray<string>): void => {
  const twice = names.find((name, n) => names.indexOf(name) < n)
  if (twice !== undefined) throw new Error(`two ${what} are called ${twice}`)
}

export class Catalog extends Context.Service<Catalog, CatalogShape>()("parley/chat/Catalog") {
  /** Throws where two kinds have one type, or two sections one name. */
  static readonly listing = (kinds: ReadonlyArray<EventKind>, sections: ReadonlyArray<Section>): CatalogShape => {
    requireDistinct(
      "kinds of events",
      kinds.map(({ type }) => type),
    )
    // A feature that is built leaves chat/sync/unbuilt-sections.ts.
    requireDistinct(
      "sections of register",
      sections.map(({ name }) => name),
    )
    const byType = new Map(kinds.map((kind) => [kind.type, kind]))
    return { kinds: byType, sections }
  }
}
