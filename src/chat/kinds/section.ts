/**
 * What a section of register is (contract 3.2): a part of the state, under the word by which a client asks for it in
 * `fetch_event_types`. Often, not always, that is also the type of the events that keep it up to date. Each belongs to its
 * capability, and all are listed in chat/capabilities.ts.
 */
import type { ConfigShape } from "../../config.ts"
import type { Keys } from "../../endpoint.ts"
import type { JsonObject } from "../../json.ts"
import type { Realm } from "../realm/realm.ts"
import type { UserRecord } from "../realm/records.ts"
import { membersOf } from "./section-text.ts"
import { type SectionView, wants } from "./section-view.ts"

/** Whose state is taken, and when. */
export interface SectionSource {
  readonly realm: Realm
  readonly config: ConfigShape
  /** The address that clients use to reach this server, without a trailing slash. */
  readonly origin: string
  /** null: a visitor without an account. */
  readonly user: UserRecord | null
  /** Milliseconds since the Unix epoch. */
  readonly now: number
}

/** Members of the answer's object, each as JSON text: `"name":value`. */
export type Members = ReadonlyArray<string>

interface Named {
  readonly name: string
  /** What it brings to the answer. */
  readonly keys: Keys
  /** Those of them that look otherwise to a visitor without an account. */
  readonly visitorKeys?: Keys
  /** Where more than its name decides whether the client asked for it. */
  readonly isWanted?: (view: SectionView) => boolean
}

/** Taken from the projection, in one turn with all others of its kind. */
interface TakenSection extends Named {
  readonly take: (source: SectionSource, view: SectionView) => Members
}

/** Read from the database, by the statement that also reads the log's head (I13). */
export interface StoredSection extends Named {
  /** A stable SQL function, (realm, user), that answers JSON. */
  readonly stored: string
  /** What it answered, as clients read it; throws where the JSON has another shape. */
  readonly read: (value: unknown) => JsonObject
  /** What a visitor without an account gets. */
  readonly visitor: JsonObject
}

/** Of a feature that does not exist yet: the same for everybody. */
interface EmptySection extends Named {
  readonly empty: JsonObject
}

export type Section = TakenSection | StoredSection | EmptySection

export const isStoredSection = (section: Section): section is StoredSection => "stored" in section

export const isWanted = (section: Section, view: SectionView): boolean =>
  section.isWanted === undefined ? wants(view, section.name) : section.isWanted(view)

/** A section that is the same for everybody until its feature exists. */
export const emptySection = (name: string, keys: Keys, empty: JsonObject): Section => ({ name, keys, empty })

/** A section whose fields are made of the projection. */
export const section = (
  name: string,
  keys: Keys,
  fields: (source: SectionSource, view: SectionView) => JsonObject,
): Section => ({
  name,
  keys,
  take: (source, view) => membersOf(fields(source, view)),
})
