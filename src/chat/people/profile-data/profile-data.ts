/** What people say of themselves in the organization's own profile fields, and administrators of others. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { type Caller, dataReply, noFields, userEndpoint } from "../../../api/endpoint.ts"
import { badRequest, botRefused, type Checked } from "../../../api/errors.ts"
import { json } from "../../../api/params.ts"
import { either, integer, list, nullable, object, optional, string } from "../../../api/shapes.ts"
import { toRealm } from "../../../events/audience.ts"
import { change, done, type Judgement, judgementOf, refused } from "../../../events/command.ts"
import type { NewRow } from "../../../events/step.ts"
import { realmUserRows } from "../../ground/kinds/realm-user-row.ts"
import { isAdministrator } from "../../ground/permissions/permissions.ts"
import { mostFields, profileFields } from "../../ground/profiles/profile-fields.ts"
import { profileValues } from "../../ground/profiles/profile-values.ts"
import { mayKnow } from "../../ground/realm/acquaintance/acquaintance.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import type { ChannelRecord, UserRecord } from "../../ground/realm/records.ts"
import { submitAs } from "../../ground/requester/submit.ts"
import { type AuthorVisibility, authorVisibility, publicAnd } from "../../text/markdown/find-names.ts"
import { textsOfCommand } from "../../text/markdown/render-text.ts"
import { isRendered, type ProfileEditor, type ProfileInput, readProfileValue } from "./profile-value.ts"

/** Values by the ids of their fields; of one that is named twice the last counts. */
export interface ProfileFieldInput {
  readonly id: number
  readonly value?: ProfileInput
}

const value = optional(nullable(either(string, list(integer), "is not a string or a list of integers")))

/** The shape of values in requests. */
export const profileFieldInputs = list(object({ id: integer, value }), mostFields)

const notEditable = badRequest("You are not allowed to change this field. Contact an administrator to update it.")

/** Who and what is found by its name: only what all may know, and of that what whoever writes it may know. */
const seesFor = (realm: Realm, actor: ProfileEditor): AuthorVisibility => {
  const all = publicAnd()
  if (actor === "server") return all
  const own = authorVisibility(realm, actor)
  return Object.assign((channel: ChannelRecord) => all(channel) && own(channel), {
    knows: (user: UserRecord) => mayKnow(realm, actor, user),
  })
}

/** The rows that give a person these values; what they have already makes none. `actor`: the server itself may set all. */
export const planProfile = (
  realm: Realm,
  actor: ProfileEditor,
  user: UserRecord,
  given: ReadonlyArray<ProfileFieldInput>,
): Checked<ReadonlyArray<NewRow>> =>
  Result.gen(function* () {
    const { fields } = realm.part(profileFields).list
    const render = textsOfCommand()
    const sees = seesFor(realm, actor)
    const rows: Array<NewRow> = []
    for (const [id, value] of new Map(given.map((each) => [each.id, each.value]))) {
      const field = fields.find((each) => each.id === id)
      if (field === undefined) return yield* Result.fail(badRequest(`Field id ${id} not found.`))
      if (!field.editable_by_user && actor !== "server" && !isAdministrator(actor))
        return yield* Result.fail(notEditable)
      const text = yield* readProfileValue(realm, actor, field, value)
      if (text === (realm.part(profileValues).value(id, user.id)?.value ?? null)) continue
      const rendered = text !== null && isRendered(field) ? { rendered_value: render(realm, sees, text) } : {}
      const custom_profile_field = { id, value: text, ...rendered }
      rows.push(realmUserRows.change({ op: "update", user_id: user.id, custom_profile_field }, toRealm))
    }
    return rows
  })

const changeOwn = (caller: Caller, given: ReadonlyArray<ProfileFieldInput>) =>
  submitAs(caller, (realm, actor): Judgement<void> => {
    if (actor.is_bot) return refused(botRefused())
    return judgementOf(
      planProfile(realm, actor, actor, given),
      (rows): Judgement<void> => (rows.length === 0 ? done(undefined) : change(rows)),
    )
  })

const patchProfileData = userEndpoint({
  method: "PATCH",
  path: "/users/me/profile_data",
  fresh: "onRefusal",
  summary: "Changes what the requester has in profile fields; an empty value is none.",
  params: { given: json("data", profileFieldInputs) },
  reply: noFields,
  errors: [],
  run: Effect.fnUntraced(function* (caller, { params: { given } }) {
    yield* changeOwn(caller, given)
    return dataReply()
  }),
})

const deleteProfileData = userEndpoint({
  method: "DELETE",
  path: "/users/me/profile_data",
  fresh: "onRefusal",
  summary: "Takes away what the requester has in some profile fields.",
  params: { ids: json("data", list(integer, mostFields)) },
  reply: noFields,
  errors: [],
  run: Effect.fnUntraced(function* (caller, { params: { ids } }) {
    yield* changeOwn(
      caller,
      ids.map((id) => ({ id })),
    )
    return dataReply()
  }),
})

export const profileDataEndpoints = [patchProfileData, deleteProfileData]
