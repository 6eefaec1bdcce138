/**
 * All kinds of events, sections of register and parts of the projection, as a service for code that works with any of
 * them. app.ts provides it, from chat/features.ts.
 */
import * as Context from "effect/Context"
import type { FilesInUse } from "../files/sweep-files.ts"
import type { ProjectionPart } from "../realm/projection-part.ts"
import type { EventKind } from "./event-kind.ts"
import type { Section } from "./section.ts"

/** Each kind by the type of its events. */
export type EventKinds = ReadonlyMap<string, EventKind>

interface CatalogShape {
  readonly kinds: EventKinds
  readonly sections: ReadonlyArray<Section>
  readonly parts: ReadonlyArray<ProjectionPart<unknown>>
  readonly files: ReadonlyArray<FilesInUse>
}

interface CatalogContents {
  readonly kinds: ReadonlyArray<EventKind>
  readonly sections: ReadonlyArray<Section>
  readonly parts: ReadonlyArray<ProjectionPart<unknown>>
  readonly files: ReadonlyArray<FilesInUse>
}

/** Throws if two are called the same. */
export const requireDistinct = (what: string, names: ReadonlyArray<string>): void => {
  const twice = names.find((name, n) => names.indexOf(name) < n)
  if (twice !== undefined) throw new Error(`two ${what} are called ${twice}`)
}

export class Catalog extends Context.Service<Catalog, CatalogShape>()("parley/chat/Catalog") {
  /** Throws if two kinds have the same type, or two sections or parts the same name. */
  static readonly listing = ({ kinds, sections, parts, files }: CatalogContents): CatalogShape => {
    requireDistinct(
      "kinds of events",
      kinds.map(({ type }) => type),
    )
    // A duplicate is probably a placeholder left in chat/server/sync/unbuilt-sections.ts.
    requireDistinct(
      "sections of register",
      sections.map(({ name }) => name),
    )
    requireDistinct(
      "parts of the projection",
      parts.map(({ name }) => name),
    )
    const byType = new Map(kinds.map((kind) => [kind.type, kind]))
    return { kinds: byType, sections, parts, files }
  }
}
