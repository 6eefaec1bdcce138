/**
 * The state that clients fetch with register: which sections a reply has, and which rows a queue skips because its state
 * holds them already (I13). Those of the projection are taken in one turn; what a section is says kinds/section.ts.
 */
import type { EventKind } from "../kinds/event-kind.ts"
import { isStoredSection, isWanted, type Members, type Section, type SectionSource } from "../kinds/section.ts"
import { membersOf } from "../kinds/section-text.ts"
import { type SectionView, wants } from "../kinds/section-view.ts"

/** What of the sections the database answered, by name. */
export type StoredValues = Readonly<Record<string, unknown>>

/** All sections that a client asked for. `stored`: null for a visitor, whom the database is not asked about. */
export const takeSections = (
  sections: ReadonlyArray<Section>,
  source: SectionSource,
  view: SectionView,
  stored: StoredValues | null,
): Members =>
  sections
    .filter((section) => isWanted(section, view))
    .flatMap((section) => {
      if ("empty" in section) return membersOf(section.empty)
      if ("take" in section) return section.take(source, view)
      return membersOf(stored === null ? section.visitor : section.read(stored[section.name]))
    })

/** How a register's reply and the types of rows belong together. */
export interface Containing {
  /** The types of rows whose effect is in the reply, so that its queue skips them up to where the reply was taken. */
  readonly types: ReadonlyArray<string>
  /** Whether rows of a type change more than what is in the reply of the projection: to skip them would lose the rest. */
  readonly isSplit: (type: string) => boolean
}

/** By the sections of a reply: those of the projection hold newer rows than those that the database answered. */
export const containedIn = (
  kinds: Iterable<EventKind>,
  sections: ReadonlyArray<Section>,
  view: SectionView,
): Containing => {
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
