/**
 * A list that only its owner sees and only the database holds: saved snippets, and what else users keep for themselves.
 * From one definition come its kind of event, its section of register and its rows; own-list-changes.ts has the commands.
 * An item's id is the position of the row that made it, its version that of the newest row about it. Items are rows of the
 * table own_item (own-lists.sql), unless a definition names functions of its own.
 */
import * as Schema from "effect/Schema"
import { type ApiError, badRequest, notThere } from "../../../api/errors.ts"
import { toUsers } from "../../../events/audience.ts"
import type { NewRow } from "../../../events/step.ts"
import type { UserId } from "../../../ids.ts"
import { isSameJson, type Json, type JsonObject, presentFields } from "../../../json.ts"
import { type EventKind, eventKind } from "../kinds/event-kind.ts"
import { oneEvent, requireStoredRow } from "../kinds/event-kind-helpers.ts"
import type { ReadSection } from "../kinds/section.ts"
import { Id, opEvent } from "../wire/wire-values.ts"

/** Fields of an item, the same in rows, tables and events: what they decode to is JSON. */
export type ItemFields = Readonly<Record<string, Schema.Codec<Json, Json>>>

/** The values that an item has in these fields. */
export type ItemValue<F extends ItemFields> = Schema.Struct<F>["Type"]

interface OwnListDefinition<F extends ItemFields> {
  /** The type of its events, which is the name of its section of register, too. */
  readonly type: string
  /** The name of one item in events: an event of a change has it under this name. */
  readonly noun: string
  /** The name of an item's id in its record. */
  readonly idKey: string
  /** Whether the event of a new item has it in a list, under the name of the section. */
  readonly addsList: boolean
  /** The fields that the owner gives, in the order of the record. */
  readonly fields: F
  /** Those of them that only the server needs: no client is shown them. */
  readonly hidden?: ReadonlyArray<keyof F & string>
  /** The most items of a user: thousands at most. A register has those that were changed last (own-lists.sql). */
  readonly most: number
  readonly refusals: { readonly gone: string; readonly full: string }
  /** How long all items of a user may be together, in bytes of JSON, and the refusal of more. For the common table only. */
  readonly room?: { readonly bytes: number; readonly refusal: string }
  /** The order of the list in register; absent: the oldest first. */
  readonly order?: (a: OwnItem<F>, b: OwnItem<F>) => number
  /** A number by which the whole list is answered, in a rising order (`answerOwn`); absent: the oldest first. */
  readonly sortedBy?: keyof F & string
  /** For a list with a table of its own. */
  readonly own?: {
    /** As in `eventKind` and `ReadSection`; each takes and answers what those of own-lists.sql do. */
    readonly applyFunction: string
    readonly stored: string
    /** Further fields of a record, at its end, from when its first row was written (milliseconds since the Unix epoch). */
    readonly made?: { readonly fields: ItemFields; readonly of: (at: number) => JsonObject }
  }
}

export interface OwnItem<F extends ItemFields> {
  readonly id: number
  readonly version: number
  readonly value: ItemValue<F>
  /** All of its fields by their names, with those that the owner did not give. */
  readonly record: JsonObject
}

export interface OwnList<F extends ItemFields> {
  /** What one item is called; paths and events have `{noun}_id`. */
  readonly noun: string
  readonly kind: EventKind
  readonly section: ReadSection
  /** How its items are in the common table; null: it has functions of its own. */
  readonly kept: { readonly sortedBy: string | null } | null
  readonly gone: ApiError
  readonly full: ApiError
  readonly long: ApiError
  /** Reads what the section's function answers. */
  readonly read: (stored: unknown) => ReadonlyArray<OwnItem<F>>
  /** An item as its owner sees it. */
  readonly show: (item: OwnItem<F>) => JsonObject
  /** The rows that make items of a user; the first is refused with "full" or "long" if there is no room for all. */
  readonly added: (user: UserId, values: ReadonlyArray<ItemValue<F>>) => ReadonlyArray<NewRow>
  /**
   * The row that gives an item another value; refused with "gone", with "overtaken" if the item was changed since, and with
   * "long" if there is no room for it.
   */
  readonly updated: (user: UserId, item: OwnItem<F>, value: ItemValue<F>) => NewRow
  /** Refused with "gone". */
  readonly removed: (user: UserId, id: number) => NewRow
  readonly isSame: (item: OwnItem<F>, value: ItemValue<F>) => boolean
}

const noFields = { fields: {}, of: () => ({}) }

/** Names in its rows, and in what its functions answer, that are not its fields. */
const reserved: ReadonlyArray<string> = ["op", "id", "version", "based_on"]

const requireFree = (type: string, idKey: string, names: ReadonlyArray<string>): void => {
  const taken = names.find((name, n) => name === idKey || reserved.includes(name) || names.indexOf(name) < n)
  if (taken !== undefined)
    throw new Error(`an item of ${type} cannot have a field ${taken}: something else has this name`)
}

export const ownList = <F extends ItemFields>(definition: OwnListDefinition<F>): OwnList<F> => {
  const { type, noun, idKey, addsList, hidden = [], most, refusals, room, order, sortedBy = null, own } = definition
  const fields: ItemFields = definition.fields
  const made = own?.made ?? noFields
  const id = Schema.Number
  const payload = Schema.Union([
    Schema.Struct({ ...fields, op: Schema.Literal("add") }),
    /** The whole item after the change. `based_on`: the version that the change was made from. */
    Schema.Struct({ ...fields, ...made.fields, op: Schema.Literal("update"), id, based_on: id }),
    Schema.Struct({ op: Schema.Literal("remove"), id }),
  ])
  const madeNames = Object.keys(made.fields)
  requireFree(type, idKey, [...Object.keys(fields), ...madeNames])
  const shown = Object.fromEntries(Object.entries(fields).filter(([name]) => !hidden.includes(name)))
  const names = [...Object.keys(shown), ...madeNames]
  const Record = Schema.Struct({ [idKey]: Id, ...shown, ...made.fields })
  const pick = (names: ReadonlyArray<string>, record: JsonObject): JsonObject =>
    presentFields(Object.fromEntries(names.map((name) => [name, record[name]])))
  const show = (id: number, record: JsonObject): JsonObject => ({ [idKey]: id, ...pick(names, record) })
  const addedKey = addsList ? type : noun
  const kind = eventKind({
    type,
    payload,
    changesRules: false,
    applyFunction: own?.applyFunction ?? "apply_own_item_v3",
    sections: [type],
    events: {
      add: opEvent(type, "add", { [addedKey]: addsList ? Schema.Array(Record) : Record }),
      update: opEvent(type, "update", { [noun]: Record }),
      remove: opEvent(type, "remove", { [`${noun}_id`]: Id }),
    },
    wire: (row, body) => {
      if (row.op === "remove") return oneEvent({ type, op: row.op, [`${noun}_id`]: row.id })
      if (row.op === "update") return oneEvent({ type, op: row.op, [noun]: show(row.id, row) })
      const { position, at } = requireStoredRow(body)
      const item = show(position, { ...row, ...made.of(at) })
      return oneEvent({ type, op: row.op, [addedKey]: addsList ? [item] : item })
    },
  })

  const readStored = Schema.decodeUnknownSync(
    Schema.Array(Schema.Struct({ ...fields, ...made.fields, id, version: id })),
  )
  const readValue = Schema.decodeUnknownSync(Schema.Struct(definition.fields))
  const recordOf = Schema.encodeUnknownSync(Schema.Struct(fields), { onExcessProperty: "error" })
  const read = (stored: unknown): ReadonlyArray<OwnItem<F>> => {
    const items = readStored(stored).map(({ id, version, ...record }) => ({
      id,
      version,
      value: readValue(record),
      record,
    }))
    return order === undefined ? items : items.toSorted(order)
  }
  // Picking fields takes most of the time of a long list, so it is done only where some are not shown.
  const showItem = ({ id, record }: OwnItem<F>): JsonObject =>
    hidden.length === 0 ? { [idKey]: id, ...record } : show(id, record)
  const section: ReadSection = {
    name: type,
    keys: { [type]: Schema.Array(Record) },
    ...(own === undefined ? { stored: "section_own_items_v2", storedOf: noun } : { stored: own.stored }),
    read: (stored) => ({ [type]: read(stored).map(showItem) }),
    visitor: { [type]: [] },
  }

  const row = (user: UserId, change: typeof payload.Type, sideData: JsonObject = {}) =>
    kind.change(change, toUsers([user]), {
      sideData: { user_id: user, ...sideData, ...(own === undefined ? { noun } : {}) },
    })
  const bytesOf = (record: Json): number => Buffer.byteLength(JSON.stringify(record))
  /** What the common table asks of a value; `others`: bytes of those that come with it. */
  const sized = (bytes: number, others = 0): JsonObject =>
    own === undefined ? { bytes, ...(room === undefined ? {} : { most_bytes: room.bytes - others }) } : {}
  return {
    noun,
    kind,
    section,
    kept: own === undefined ? { sortedBy } : null,
    gone: notThere(refusals.gone),
    full: badRequest(refusals.full),
    long: badRequest(room?.refusal ?? refusals.full),
    read,
    show: showItem,
    // Only the first row may be refused, so it asks for the room of all, and the others do not count.
    added: (user, values) => {
      const records = values.map((value) => recordOf(value))
      const sizes = records.map(bytesOf)
      const all = sizes.reduce((sum, bytes) => sum + bytes, 0)
      return records.map((record, n) => {
        const bytes = sizes[n] ?? 0
        const asked = n === 0 ? { most: most + 1 - values.length, ...sized(bytes, all - bytes) } : { bytes }
        return row(user, { ...record, op: "add" }, asked)
      })
    },
    updated: (user, { id, version, record }, value) => {
      const next = recordOf(value)
      return row(
        user,
        { ...next, ...pick(madeNames, record), op: "update", id, based_on: version },
        sized(bytesOf(next)),
      )
    },
    removed: (user, id) => row(user, { op: "remove", id }),
    isSame: (item, value) => isSameJson(recordOf(item.value), recordOf(value)),
  }
}
