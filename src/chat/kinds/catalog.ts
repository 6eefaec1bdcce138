/**
 * All kinds of events and sections of register, as a service for code that works with any of them. The lists are in
 * chat/capabilities.ts; app.ts provides them.
 */
import * as Context from "effect/Context"
import type { EventKind } from "./event-kind.ts"
import type { Section } from "./section.ts"

/** Each kind by the type of its events. */
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
  /** Throws if two kinds have the same type, or two sections the same name. */
  static readonly listing = (kinds: ReadonlyArray<EventKind>, sections: ReadonlyArray<Section>): CatalogShape => {
    requireDistinct(
      "kinds of events",
      kinds.map(({ type }) => type),
    )
    // A duplicate is probably a placeholder left in chat/sync/unbuilt-sections.ts.
    requireDistinct(
      "sections of register",
      sections.map(({ name }) => name),
    )
    const byType = new Map(kinds.map((kind) => [kind.type, kind]))
    return { kinds: byType, sections }
  }
}
