/**
 * The sections of a reply to register, and which rows its queue skips because the reply contains them already (I13).
 * All sections of the projection are taken in one turn of the event loop. A section is defined in kinds/section.ts.
 */
import * as Effect from "effect/Effect"
import { forEachInSlices } from "../../../slices.ts"
import type { EventKind } from "../../ground/kinds/event-kind.ts"
import {
  isStoredSection,
  isWanted,
  type Section,
  type SectionMembers,
  type SectionSource,
} from "../../ground/kinds/section.ts"
import { membersOf } from "../../ground/kinds/section-text.ts"
import { type SectionView, wants } from "../../ground/kinds/section-view.ts"

/** The JSON that the database answered for the stored sections, by their names. */
export type StoredValues = Readonly<Record<string, unknown>>

/** Makes what can be made before the sections are taken, in slices. */
export const prepareSections = Effect.fnUntraced(function* (
  sections: ReadonlyArray<Section>,
  source: SectionSource,
  view: SectionView,
) {
  for (const section of sections)
    if ("take" in section && section.prepare !== undefined && isWanted(section, view))
      yield* forEachInSlices(section.prepare(source, view), () => {})
})

/** All requested sections. `stored`: null for a visitor, for whom the database is not asked. */
export const takeSections = (
  sections: ReadonlyArray<Section>,
  source: SectionSource,
  view: SectionView,
  stored: StoredValues | null,
): SectionMembers =>
  sections
    .filter((section) => isWanted(section, view))
    .flatMap((section) => {
      if ("empty" in section) return section.empty
      if ("take" in section) return section.take(source, view)
      if (stored === null) return membersOf(section.visitor)
      const value = stored[section.name]
      if ("write" in section) return section.write(value, view)
      return membersOf("readFor" in section ? section.readFor(value, source) : section.read(value))
    })

/** Which types of rows a reply to register contains. */
export interface ContainedTypes {
  /** The types of rows whose changes are in the sections of the projection: the queue skips them up to its position. */
  readonly types: ReadonlyArray<string>
  /** Whether rows of a type also change something outside of those sections, which skipping the row would lose. */
  readonly isSplit: (type: string) => boolean
}

/** Finds out from the requested sections; those of the projection may be newer than those from the database. */
export const containedIn = (
  kinds: Iterable<EventKind>,
  sections: ReadonlyArray<Section>,
  view: SectionView,
): ContainedTypes => {
  const stored = new Set(sections.filter(isStoredSection).map(({ name }) => name))
  const contained = new Set<string>()
  const split = new Set<string>()
  for (const kind of kinds) {
    const changed = kind.sections(view)
    const held = changed.filter((name) => !stored.has(name) && wants(view, name))
    if (held.length === 0) continue
    contained.add(kind.type)
    if (held.length < changed.length) split.add(kind.type)
  }
  return { types: [...contained], isSplit: (type) => split.has(type) }
}
