/**
 * Profile fields as rows and events, and their section of register. A row has the whole list, as the event does: there are
 * few, and their order counts. A field that is gone from it takes all of its values along, and a choice those that name it:
 * no event tells of these.
 */
import * as Schema from "effect/Schema"
import { toRealm } from "../../../events/audience.ts"
import type { JsonObject } from "../../../json.ts"
import { eventKind } from "../../ground/kinds/event-kind.ts"
import { oneEvent } from "../../ground/kinds/event-kind-helpers.ts"
import { section } from "../../ground/kinds/section.ts"
import {
  fieldTypeIds,
  fieldTypes,
  type ProfileField,
  ProfileFieldList,
  profileFields,
} from "../../ground/profiles/profile-fields.ts"
import { profileValues } from "../../ground/profiles/profile-values.ts"
import { Id, plainEvent } from "../../ground/wire/wire-values.ts"

const type = "custom_profile_fields"

/** As clients read them. */
export const WireFields = Schema.Array(
  Schema.Struct({
    id: Id,
    type: Schema.Literals(fieldTypeIds),
    order: Id,
    name: Schema.NonEmptyString,
    hint: Schema.String,
    /** JSON, or empty. */
    field_data: Schema.String,
    display_in_profile_summary: Schema.optionalKey(Schema.Literal(true)),
    required: Schema.Boolean,
    editable_by_user: Schema.Boolean,
    use_for_user_matching: Schema.Boolean,
  }).annotate({ identifier: "CustomProfileField" }),
)

const wireField = ({ display_in_profile_summary, ...field }: ProfileField, index: number): JsonObject => ({
  ...field,
  order: index + 1,
  ...(display_in_profile_summary ? { display_in_profile_summary } : {}),
})

export const wireFields = ({ fields }: ProfileFieldList): ReadonlyArray<JsonObject> => fields.map(wireField)

/** Changes are judged on the list, which each of them states whole, and values on their fields. */
export const profileFieldKind = eventKind({
  type,
  payload: ProfileFieldList,
  changesRules: true,
  applyFunction: "apply_custom_profile_fields_v1",
  applyToProjection: (realm, list) => {
    realm.part(profileFields).list = list
    realm.part(profileValues).keep(list)
  },
  events: { "": plainEvent(type, { fields: WireFields }) },
  // People's values may go with a field.
  sections: [type, "realm_user"],
  wire: (list) => oneEvent({ type, fields: wireFields(list) }),
})

export const profileFieldRow = (list: ProfileFieldList) => profileFieldKind.change(list, toRealm)

const Types = Schema.Struct(
  Object.fromEntries(
    Object.entries(fieldTypes).map(([key, { id }]) => [
      key,
      Schema.Struct({ id: Schema.Literal(id), name: Schema.NonEmptyString }),
    ]),
  ),
)

/** Visitors without an account see no profiles. */
export const profileFieldSection = section(
  type,
  { custom_profile_fields: WireFields, custom_profile_field_types: Types },
  ({ realm, user }) => ({
    custom_profile_fields: user === null ? [] : wireFields(realm.part(profileFields).list),
    custom_profile_field_types: fieldTypes,
  }),
)
