/** The organization's own profile fields: what their records are, and the list of them, a part of the projection. */
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { projectionPart } from "../realm/projection-part.ts"

/** The types of fields, by the names that register answers. */
export const fieldTypes = {
  SHORT_TEXT: { id: 1, name: "Text (short)" },
  LONG_TEXT: { id: 2, name: "Text (long)" },
  SELECT: { id: 3, name: "List of options" },
  DATE: { id: 4, name: "Date" },
  URL: { id: 5, name: "Link" },
  USER: { id: 6, name: "Users" },
  EXTERNAL_ACCOUNT: { id: 7, name: "External account" },
  PRONOUNS: { id: 8, name: "Pronouns" },
} as const
export const fieldTypeIds = Object.values(fieldTypes).map(({ id }) => id)
export type FieldType = (typeof fieldTypeIds)[number]

/** The most that an organization has. */
export const mostFields = 100

export const ProfileField = Schema.Struct({
  id: Schema.Number,
  type: Schema.Literals(fieldTypeIds),
  name: Schema.String,
  hint: Schema.String,
  /**
   * JSON of an object: the choices of a list of options, by the words that values are; the provider of an external account.
   * Empty for all other types.
   */
  field_data: Schema.String,
  display_in_profile_summary: Schema.Boolean,
  /** Clients ask people for a value; none is refused for not being there. */
  required: Schema.Boolean,
  /** Otherwise only administrators set its values. */
  editable_by_user: Schema.Boolean,
  /** Clients find people by its values, too. */
  use_for_user_matching: Schema.Boolean,
})
export type ProfileField = typeof ProfileField.Type

/** All fields, in the order in which clients show them. Ids up to `last_id` were given already. */
export const ProfileFieldList = Schema.Struct({ last_id: Schema.Number, fields: Schema.Array(ProfileField) })
export type ProfileFieldList = typeof ProfileFieldList.Type

const noFields: ProfileFieldList = { last_id: 0, fields: [] }

export class ProfileFields {
  /** The object is replaced whenever a field changes. */
  list = noFields
}

export const profileFields = projectionPart({
  name: "profile_fields",
  load: "load_profile_fields_v1",
  stored: ProfileFieldList,
  empty: () => new ProfileFields(),
  fill: (all, list) => {
    all.list = list
  },
  plain: ({ list }) => list,
})

/** The words that values of a list of options can be; null: the field has another type. */
export const choicesOf = ({ type, field_data }: ProfileField): ReadonlySet<string> | null => {
  if (type !== fieldTypes.SELECT.id) return null
  const choices: unknown = JSON.parse(field_data)
  return new Set(Predicate.isObject(choices) ? Object.keys(choices) : [])
}
