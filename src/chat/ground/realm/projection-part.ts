/**
 * A part of the projection is a value, as a kind of event is: what a feature keeps in memory of its organization, loaded with
 * everything else and moved by the rows of the feature's kinds. It stands in the lowest feature that reads it, is listed by that
 * feature's definition, and is reached by `realm.part(x)`: an index and a comparison.
 */
import * as Schema from "effect/Schema"

interface ProjectionPartDefinition<T, Stored> {
  /** Names its column in the statement that loads a realm. */
  readonly name: string
  /** The stable SQL function that answers, for a realm's id, what the tables hold, as JSON: `load_<name>_vN`. */
  readonly load: string
  readonly stored: Schema.ConstraintDecoder<Stored>
  /**
   * For what grows with the people, which one answer would hold up everybody for: its function takes the realm's id, the key of the
   * page before and how many to look at, and answers a page. This answers the page's key, null: it is the last.
   */
  readonly pageKey?: (stored: Stored) => ReadonlyArray<number> | null
  /** The part of an organization that has nothing of it. */
  readonly empty: () => T
  /** Puts what was loaded into an empty part; of one that is loaded in pages, a further page. */
  readonly fill: (part: T, stored: Stored) => void
  /** All that it answers, as plain data: tests compare a part that was moved with one that was loaded (I12). */
  readonly plain: (part: T) => unknown
}

/** The value that a realm keeps of one part. */
export interface ProjectionSlot<T> {
  readonly part: ProjectionPart<T>
  readonly value: T
}

/** The parts of one realm, each at its number. */
export type ProjectionSlots = ReadonlyArray<ProjectionSlot<unknown> | undefined>

export interface ProjectionPart<T> {
  readonly name: string
  readonly load: string
  /** Its place in the slots of every realm. */
  readonly number: number
  readonly empty: () => ProjectionSlot<T>
  /** Makes it from the JSON text that its function answered; throws if that has another shape. */
  readonly decode: (text: unknown) => ProjectionSlot<T>
  /** Loads it in pages: puts one into a slot of it, from the text that its function answered, and answers the page's key. */
  readonly addPage: ((slot: ProjectionSlot<unknown>, text: unknown) => ReadonlyArray<number> | null) | null
  /** Throws if the realm was made without it. */
  readonly in: (slots: ProjectionSlots) => T
  readonly plain: (slots: ProjectionSlots) => unknown
}

/** Grows only while modules are loaded: a part's number is its place here, the same for all realms. */
const names: Array<string> = []

export const projectionPart = <T, Stored>(definition: ProjectionPartDefinition<T, Stored>): ProjectionPart<T> => {
  const { name, load, stored, pageKey, empty, fill, plain } = definition
  const decodeStored = Schema.decodeUnknownSync(Schema.fromJsonString(stored))
  const addPage =
    (key: (stored: Stored) => ReadonlyArray<number> | null) => (slot: ProjectionSlot<unknown>, text: unknown) => {
      if (!isOwn(slot)) throw new Error(`this is not the part ${name}`)
      const page = decodeStored(text)
      fill(slot.value, page)
      return key(page)
    }
  const isOwn = (slot: ProjectionSlot<unknown> | undefined): slot is ProjectionSlot<T> => slot?.part === made
  const valueIn = (slots: ProjectionSlots): T => {
    const slot = slots[made.number]
    if (!isOwn(slot)) throw new Error(`this realm was made without the part ${name}`)
    return slot.value
  }
  const made: ProjectionPart<T> = {
    name,
    load,
    number: names.push(name) - 1,
    empty: () => ({ part: made, value: empty() }),
    decode: (text) => {
      const value = empty()
      fill(value, decodeStored(text))
      return { part: made, value }
    },
    addPage: pageKey === undefined ? null : addPage(pageKey),
    in: valueIn,
    plain: (slots) => plain(valueIn(slots)),
  }
  return made
}
