/**
 * What people have in the organization's own profile fields: a part of the projection. Values are kept by field, so that a
 * field goes with all of its values at once, however many people have one.
 */
import * as Schema from "effect/Schema"
import { idSchemas, type UserId } from "../../../ids.ts"
import { projectionPart } from "../realm/projection-part.ts"
import { choicesOf, type ProfileFieldList } from "./profile-fields.ts"

export const ProfileValue = Schema.Struct({
  /** A text whatever the type of the field: ids of people are the JSON of a list. */
  value: Schema.String,
  /** HTML, for texts only. */
  rendered_value: Schema.optionalKey(Schema.String),
})
export type ProfileValue = typeof ProfileValue.Type

/** The values of one person, by the ids of the fields, as records of users have them. */
export const ProfileData = Schema.Record(Schema.String, ProfileValue)
export type ProfileData = typeof ProfileData.Type

/** About how many characters a value has in a record beside its texts. */
const keyCharacters = 40
const charactersOf = ({ value, rendered_value = "" }: ProfileValue): number =>
  value.length + rendered_value.length + keyCharacters

const noProfileData: ProfileData = {}

export class ProfileValues {
  readonly #byField = new Map<number, Map<UserId, ProfileValue>>()
  /** The change, counted since the organization was loaded, that a person's values had last, and that anybody's may have had. */
  readonly #changedOf = new Map<UserId, number>()
  #changedOfAll = 0
  /** What was read of people and has not changed since: lists of them are written in several ways. */
  readonly #read = new Map<UserId, ProfileData>()
  #changes = 0
  /** Of all records together, about. */
  #characters = 0

  get characters(): number {
    return this.#characters
  }

  /** Another number whenever the values of a person may have changed. */
  version(user: UserId): number {
    return Math.max(this.#changedOfAll, this.#changedOf.get(user) ?? 0)
  }

  value(field: number, user: UserId): ProfileValue | undefined {
    return this.#byField.get(field)?.get(user)
  }

  of(user: UserId): ProfileData {
    if (this.#byField.size === 0) return noProfileData
    const known = this.#read.get(user) ?? this.#gather(user)
    this.#read.set(user, known)
    return known
  }

  #gather(user: UserId): ProfileData {
    const all: Record<string, ProfileValue> = {}
    let isNone = true
    for (const [field, values] of this.#byField) {
      const value = values.get(user)
      if (value === undefined) continue
      all[field] = value
      isNone = false
    }
    return isNone ? noProfileData : all
  }

  /** null: the person has none any more. */
  set(field: number, user: UserId, value: ProfileValue | null): void {
    this.load(field, user, value)
    this.#read.delete(user)
    this.#changes += 1
    this.#changedOf.set(user, this.#changes)
  }

  /** As `set`, before anybody has read values of the person. */
  load(field: number, user: UserId, value: ProfileValue | null): void {
    const values = this.#byField.get(field) ?? new Map<UserId, ProfileValue>()
    this.#byField.set(field, values)
    const before = values.get(user)
    if (before !== undefined) this.#characters -= charactersOf(before)
    if (value === null) values.delete(user)
    else {
      values.set(user, value)
      this.#characters += charactersOf(value)
    }
  }

  /** Takes away what does not belong to these fields, and what is none of the choices that they leave. */
  keep({ fields }: ProfileFieldList): void {
    const kept = new Map(fields.map((field) => [field.id, field]))
    for (const [id, values] of this.#byField) {
      const field = kept.get(id)
      const choices = field === undefined ? new Set<string>() : choicesOf(field)
      if (choices === null) continue
      let isChanged = false
      for (const [user, value] of values) {
        if (choices.has(value.value)) continue
        values.delete(user)
        this.#characters -= charactersOf(value)
        isChanged = true
      }
      if (field === undefined) this.#byField.delete(id)
      if (!isChanged) continue
      this.#read.clear()
      this.#changes += 1
      this.#changedOfAll = this.#changes
    }
  }

  /** [field, person, value], in order. */
  entries(): ReadonlyArray<readonly [field: number, user: UserId, value: ProfileValue]> {
    return [...this.#byField]
      .flatMap(([field, values]) => [...values].map(([user, value]) => [field, user, value] as const))
      .sort(([a, user], [b, other]) => a - b || user - other)
  }
}

export const profileValues = projectionPart({
  name: "profile_values",
  load: "load_profile_values_v1",
  /** [field, user, value, HTML] */
  stored: Schema.Struct({
    values: Schema.Array(Schema.Tuple([Schema.Number, idSchemas.user, Schema.String, Schema.NullOr(Schema.String)])),
    /** The last field and user that were looked at; null: there are no more. */
    last: Schema.NullOr(Schema.Tuple([Schema.Number, Schema.Number])),
  }),
  pageKey: ({ last }) => last,
  empty: () => new ProfileValues(),
  fill: (all, { values }) => {
    for (const [field, user, value, rendered] of values)
      all.load(field, user, { value, ...(rendered === null ? {} : { rendered_value: rendered }) })
  },
  plain: (values) => values.entries(),
})
