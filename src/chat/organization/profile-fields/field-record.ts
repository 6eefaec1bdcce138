/** The record of a new or changed profile field, and what the list of all of them may be. */
import * as Result from "effect/Result"
import { badRequest, type Checked } from "../../../api/errors.ts"
import { lengthFault } from "../../../api/shapes.ts"
import type { JsonObject } from "../../../json.ts"
import {
  type FieldType,
  fieldTypes,
  mostFields,
  type ProfileField,
  type ProfileFieldList,
} from "../../ground/profiles/profile-fields.ts"
import { fold } from "../../ground/realm/domain-values.ts"
import { defaultAccount, readFieldData } from "./field-data.ts"

/** Characters. */
const longestFieldName = 40
const longestHint = 80
/** Each register and each change has all of their data. */
const mostCharacters = 50_000
const mostInSummary = 2

/** What a request states of a field; what it does not stays as it is, and for a new field is as `newField`. */
export interface StatedField {
  readonly name?: string | undefined
  readonly hint?: string | undefined
  readonly data?: JsonObject | undefined
  readonly display_in_profile_summary?: boolean | undefined
  readonly required?: boolean | undefined
  readonly editable_by_user?: boolean | undefined
  readonly use_for_user_matching?: boolean | undefined
}

const refuse = (msg: string) => Result.fail(badRequest(msg))

const requireLabels = (name: string, hint: string): Checked<undefined> => {
  if (name.trim() === "") return refuse("Label cannot be blank.")
  const hintFault = lengthFault(hint, { max: longestHint })
  if (hintFault !== undefined) return refuse(`hint ${hintFault}`)
  const nameFault = lengthFault(name, { max: longestFieldName })
  return nameFault === undefined ? Result.succeed(undefined) : refuse(`name ${nameFault}`)
}

/** Long texts and lists of people have no room in a summary. */
const fitsSummary = (type: FieldType): boolean => type !== fieldTypes.LONG_TEXT.id && type !== fieldTypes.USER.id

/** The field with what is stated of it. */
const withStated = (field: ProfileField, { data, name, hint, ...flags }: StatedField): Checked<ProfileField> =>
  Result.gen(function* () {
    const field_data = data === undefined ? field.field_data : yield* readFieldData(field.type, data)
    // A provider that the server knows says itself what its field is called.
    const account = defaultAccount(field.type, field_data)
    const after: ProfileField = {
      ...field,
      name: account?.name ?? name?.trim() ?? field.name,
      hint: account?.hint ?? hint ?? field.hint,
      field_data,
      display_in_profile_summary: flags.display_in_profile_summary ?? field.display_in_profile_summary,
      required: flags.required ?? field.required,
      editable_by_user: flags.editable_by_user ?? field.editable_by_user,
      use_for_user_matching: flags.use_for_user_matching ?? field.use_for_user_matching,
    }
    yield* requireLabels(after.name, after.hint)
    return after.display_in_profile_summary && !fitsSummary(field.type)
      ? yield* refuse("Field type not supported for display in profile summary.")
      : after
  })

export const makeField = (id: number, type: FieldType, stated: StatedField): Checked<ProfileField> => {
  const newField: ProfileField = {
    id,
    type,
    name: "",
    hint: "",
    field_data: "",
    display_in_profile_summary: false,
    required: false,
    editable_by_user: true,
    use_for_user_matching: false,
  }
  // Without data, a type that needs some is refused.
  return withStated(newField, { ...stated, data: stated.data ?? {} })
}

export const remakeField = (field: ProfileField, stated: StatedField): Checked<ProfileField> => {
  const isDefault = defaultAccount(field.type, field.field_data) !== undefined
  const { name = field.name, hint = field.hint, data } = stated
  if (!isDefault) return withStated(field, stated)
  const field_data = data === undefined ? Result.succeed(field.field_data) : readFieldData(field.type, data)
  return Result.flatMap(field_data, (text) =>
    name !== field.name || hint !== field.hint || text !== field.field_data
      ? refuse("Default custom field cannot be updated.")
      : withStated(field, stated),
  )
}

/** The list with these fields, if an organization may have them. */
export const requireFit = (known: ProfileFieldList, fields: ReadonlyArray<ProfileField>): Checked<ProfileFieldList> => {
  if (fields.length > mostFields) return refuse(`There can be ${mostFields} profile fields at most.`)
  const names = new Set(fields.map(({ name }) => fold(name)))
  if (names.size < fields.length) return refuse("A field with that label already exists.")
  const shown = fields.filter((each) => each.display_in_profile_summary)
  if (shown.length > mostInSummary)
    return refuse(`Only ${mostInSummary} custom profile fields can be displayed in the profile summary.`)
  const characters = fields.reduce(
    (sum, { name, hint, field_data }) => sum + name.length + hint.length + field_data.length,
    0,
  )
  if (characters > mostCharacters)
    return refuse(`Profile fields can have ${mostCharacters} characters together at most.`)
  return Result.succeed({ last_id: Math.max(known.last_id, ...fields.map(({ id }) => id)), fields })
}
