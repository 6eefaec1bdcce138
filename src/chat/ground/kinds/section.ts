/**
 * A section of register is a part of the state, under the name by which a client asks for it in `fetch_event_types`.
 * Often, but not always, that is also the type of the events that keep it up to date. Each is made in its feature, whose
 * definition lists it.
 */

import type { WireKeys } from "../../../api/endpoint.ts"
import type { ConfigShape } from "../../../config/config.ts"
import type { JsonObject } from "../../../json.ts"
import type { JsonMember, JsonPieces } from "../../../json-pieces.ts"
import type { Realm } from "../realm/realm.ts"
import type { UserRecord } from "../realm/records.ts"
import { membersOf } from "./section-text.ts"
import { type SectionView, wants } from "./section-view.ts"

/** The sources that a section of the projection is made from. */
export interface SectionSource {
  readonly realm: Realm
  readonly config: ConfigShape
  /** The address that clients use to reach this server, without a trailing slash. */
  readonly origin: string
  /** Whose state it is; null: a visitor without an account. */
  readonly user: UserRecord | null
  /** Milliseconds since the Unix epoch. */
  readonly now: number
}

/**
 * Members of the answer's object, each as JSON text, `"name":value`, or a long list; or some of them in pieces, joined by
 * commas.
 */
export type SectionMembers = ReadonlyArray<string | JsonMember | JsonPieces>

interface SectionName {
  readonly name: string
  /** The Schemas of its keys in the answer. */
  readonly keys: WireKeys
  /** The Schemas that differ for a visitor without an account. */
  readonly visitorKeys?: WireKeys
  /** Whether the client asked for it; absent: its name in `fetch` decides. */
  readonly isWanted?: (view: SectionView) => boolean
}

/** A section made from the projection, in the same turn of the event loop as all others of its kind. */
interface TakenSection extends SectionName {
  readonly take: (source: SectionSource, view: SectionView) => SectionMembers
  /**
   * Makes texts that `take` will find kept, one for each step. Run in slices before, because `take` is not: all sections
   * must be of one moment.
   */
  readonly prepare?: (source: SectionSource, view: SectionView) => Iterable<unknown>
}

interface StoredSectionBase extends SectionName {
  /** The name of a stable SQL function with the parameters (realm, user) that returns JSON. */
  readonly stored: string
  /** Given to the function as a third parameter, where one function reads several lists. */
  readonly storedOf?: string
  /** The keys for a visitor without an account. */
  readonly visitor: JsonObject
}

export interface ReadSection extends StoredSectionBase {
  /** Turns the function's JSON into the keys of the answer; throws if the JSON has another shape. */
  readonly read: (value: unknown) => JsonObject
}

/** A section of which a reader sees what the projection lets them, which may be newer than what the function read. */
export interface JudgedSection extends StoredSectionBase {
  /** As `read` does. */
  readonly readFor: (value: unknown, source: SectionSource) => JsonObject
}

/** A long section, or one that depends on the client: its text is written from the function's JSON. */
interface WrittenSection extends StoredSectionBase {
  readonly write: (value: unknown, view: SectionView) => SectionMembers
}

/** The call of a section's function. `storedOf` is a name that the program has given. */
export const storedCall = ({ stored, storedOf }: Pick<StoredSectionBase, "stored" | "storedOf">): string =>
  `${stored}($1::integer, $2::integer${storedOf === undefined ? "" : `, '${storedOf}'`})`

/** A section read from the database, by the same statement that reads the log's head (I13). */
export type StoredSection = ReadSection | JudgedSection | WrittenSection

/** The section of a feature that does not exist yet: the same for everybody. */
interface EmptySection extends SectionName {
  readonly empty: SectionMembers
}

export type Section = TakenSection | StoredSection | EmptySection

export const isStoredSection = (section: Section): section is StoredSection => "stored" in section

export const isWanted = (section: Section, view: SectionView): boolean =>
  section.isWanted === undefined ? wants(view, section.name) : section.isWanted(view)

/** Makes the section of a feature that does not exist yet. */
export const emptySection = (name: string, keys: WireKeys, empty: JsonObject): Section => ({
  name,
  keys,
  empty: membersOf(empty),
})

/** Makes a section of the projection from a function that answers its fields. */
export const section = (
  name: string,
  keys: WireKeys,
  fields: (source: SectionSource, view: SectionView) => JsonObject,
): Section => ({
  name,
  keys,
  take: (source, view) => membersOf(fields(source, view)),
})
