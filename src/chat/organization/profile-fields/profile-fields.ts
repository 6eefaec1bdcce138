/** The organization's own profile fields. Everybody reads them; administrators make, change, order and remove them. */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { type Caller, dataReply, noFields, userEndpoint } from "../../../api/endpoint.ts"
import { badRequest, type Checked, principalUnauthorized } from "../../../api/errors.ts"
import { boolean, integer, json, mapped, optional, text, withDefault } from "../../../api/params.ts"
import { integer as integerShape, json as jsonShape, list, refined, usualMost } from "../../../api/shapes.ts"
import { change, done, type Judgement, judgementOf, refused } from "../../../events/command.ts"
import type { Json, JsonObject } from "../../../json.ts"
import { mayChangeRealm } from "../../ground/permissions/permissions.ts"
import {
  type FieldType,
  fieldTypeIds,
  mostFields,
  type ProfileField,
  type ProfileFieldList,
  profileFields,
} from "../../ground/profiles/profile-fields.ts"
import { requireAccount } from "../../ground/requester/requester.ts"
import { submitAs } from "../../ground/requester/submit.ts"
import { Id } from "../../ground/wire/wire-values.ts"
import { makeField, remakeField, requireFit } from "./field-record.ts"
import { profileFieldRow, WireFields, wireFields } from "./profile-field-event.ts"

const notAllowed = principalUnauthorized("Must be an organization administrator")
const notFound = (id: number) => badRequest(`Field id ${id} not found.`)

/** Longer labels are refused in other words. */
const label = (name: string) => text(name, { max: usualMost })
/** JSON of a longer list of choices is refused before it is read. */
const longestData = 50_000

const isJsonObject = (value: Json): value is JsonObject => Predicate.isObject(value)
const dict = refined(
  jsonShape,
  (value, path) => (isJsonObject(value) ? Result.succeed(value) : Result.fail(`${path} is not a dict`)),
  { type: "object" },
)

const fieldId = integer("field_id")
const flag = (name: string) => optional(boolean(name))
const stated = {
  data: optional(json("field_data", dict, { max: longestData })),
  display_in_profile_summary: flag("display_in_profile_summary"),
  required: flag("required"),
  editable_by_user: flag("editable_by_user"),
  use_for_user_matching: flag("use_for_user_matching"),
}

const isFieldType = (value: number): value is FieldType => fieldTypeIds.some((id) => id === value)
const fieldType = mapped(integer("field_type"), (value) =>
  isFieldType(value) ? Result.succeed(value) : Result.fail(badRequest("Invalid field type.")),
)

const isSame = (a: ProfileField, b: ProfileField): boolean => JSON.stringify(a) === JSON.stringify(b)

/** Submits a change of the list; null: there is nothing to change. Answers what `plan` found. */
const submit = <A>(caller: Caller, plan: (known: ProfileFieldList) => Checked<readonly [A, ProfileFieldList | null]>) =>
  submitAs(caller, (realm, actor): Judgement<A> => {
    if (!mayChangeRealm(actor)) return refused(notAllowed)
    return judgementOf(
      plan(realm.part(profileFields).list),
      ([answer, list]): Judgement<A> =>
        list === null ? done(answer) : change([profileFieldRow(list)], { answer: () => answer }),
    )
  })

const getFields = userEndpoint({
  method: "GET",
  path: "/realm/profile_fields",
  summary: "The organization's own profile fields, in the order in which they are shown.",
  params: {},
  reply: Schema.Struct({ custom_fields: WireFields }),
  errors: [],
  run: Effect.fnUntraced(function* (caller) {
    const { realm } = yield* requireAccount(caller)
    return dataReply({ custom_fields: wireFields(realm.part(profileFields).list) })
  }),
})

const postField = userEndpoint({
  method: "POST",
  path: "/realm/profile_fields",
  fresh: "onRefusal",
  summary: "Makes a profile field, the last in order.",
  params: { fieldType, name: withDefault(label("name"), ""), hint: withDefault(label("hint"), ""), ...stated },
  reply: Schema.Struct({ id: Id }),
  errors: ["UNAUTHORIZED_PRINCIPAL"],
  run: Effect.fnUntraced(function* (caller, { params: { fieldType, ...wanted } }) {
    const id = yield* submit(caller, (known) => {
      const id = known.last_id + 1
      return Result.gen(function* () {
        const field = yield* makeField(id, fieldType, wanted)
        return [id, yield* requireFit(known, [...known.fields, field])] as const
      })
    })
    return dataReply({ id })
  }),
})

const patchField = userEndpoint({
  method: "PATCH",
  path: "/realm/profile_fields/{field_id:int}",
  fresh: "onRefusal",
  summary: "Changes a profile field. With a choice that is taken away go the values that name it.",
  params: { fieldId, name: optional(label("name")), hint: optional(label("hint")), ...stated },
  reply: noFields,
  errors: ["UNAUTHORIZED_PRINCIPAL"],
  run: Effect.fnUntraced(function* (caller, { params: { fieldId: id, ...wanted } }) {
    yield* submit<undefined>(caller, (known) =>
      Result.gen(function* () {
        const before = known.fields.find((each) => each.id === id)
        if (before === undefined) return yield* Result.fail(notFound(id))
        const after = yield* remakeField(before, wanted)
        if (isSame(before, after)) return [undefined, null] as const
        const fields = known.fields.map((each) => (each.id === id ? after : each))
        return [undefined, yield* requireFit(known, fields)] as const
      }),
    )
    return dataReply()
  }),
})

const deleteField = userEndpoint({
  method: "DELETE",
  path: "/realm/profile_fields/{field_id:int}",
  fresh: "onRefusal",
  summary: "Removes a profile field with all of its values.",
  params: { fieldId },
  reply: noFields,
  errors: ["UNAUTHORIZED_PRINCIPAL"],
  run: Effect.fnUntraced(function* (caller, { params: { fieldId: id } }) {
    yield* submit<undefined>(caller, (known) => {
      const fields = known.fields.filter((each) => each.id !== id)
      if (fields.length === known.fields.length) return Result.fail(notFound(id))
      return Result.succeed([undefined, { ...known, fields }])
    })
    return dataReply()
  }),
})

const patchFields = userEndpoint({
  method: "PATCH",
  path: "/realm/profile_fields",
  fresh: "onRefusal",
  summary: "Changes the order in which profile fields are shown.",
  params: { order: json("order", list(integerShape, mostFields)) },
  reply: noFields,
  errors: ["UNAUTHORIZED_PRINCIPAL"],
  run: Effect.fnUntraced(function* (caller, { params: { order } }) {
    yield* submit<undefined>(caller, (known) => {
      const fields = order.flatMap((id) => known.fields.find((each) => each.id === id) ?? [])
      if (order.length !== known.fields.length || new Set(fields).size !== order.length)
        return Result.fail(badRequest("Invalid order mapping."))
      const isSameOrder = fields.every((each, n) => each === known.fields[n])
      return Result.succeed([undefined, isSameOrder ? null : { ...known, fields }])
    })
    return dataReply()
  }),
})

export const profileFieldEndpoints = [getFields, patchFields, postField, patchField, deleteField]
