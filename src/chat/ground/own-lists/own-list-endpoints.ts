/** The two endpoints that are the same for each list that only its owner sees: its list, and removing an item. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { type Caller, dataReply, noFields, userEndpoint, type WireKeys } from "../../../api/endpoint.ts"
import type { Checked } from "../../../api/errors.ts"
import { id } from "../../../api/params.ts"
import type { UserRecord } from "../realm/records.ts"
import { requireAccount } from "../requester/requester.ts"
import { Count } from "../wire/wire-values.ts"
import type { ItemFields, OwnList } from "./own-list.ts"
import { answerOwn } from "./own-list-answer.ts"
import { removeOwn } from "./own-list-changes.ts"

interface OwnListDescription {
  readonly path: string
  readonly summaries: { readonly list: string; readonly remove: string }
  /** Whether the answer says how many items there are. */
  readonly counts?: boolean
  /** Who may not have such a list at present; absent: everybody may. */
  readonly admit?: (user: UserRecord) => Checked<void>
}

/** The requester, if they may have such a list. */
export const requireOwner = Effect.fnUntraced(function* (caller: Caller, admit: OwnListDescription["admit"]) {
  const { user } = yield* requireAccount(caller)
  if (admit !== undefined) yield* Effect.fromResult(admit(user))
})

export const ownEndpoints = <F extends ItemFields>(list: OwnList<F>, described: OwnListDescription) => {
  const { path, summaries, counts = false, admit } = described
  const idName = `${list.noun}_id`
  const keys: WireKeys = { ...(counts ? { count: Count } : {}), ...list.section.keys }
  return [
    userEndpoint({
      method: "GET",
      path,
      summary: summaries.list,
      params: {},
      reply: Schema.Struct(keys),
      errors: [],
      run: Effect.fnUntraced(function* (caller) {
        yield* requireOwner(caller, admit)
        return yield* answerOwn(list, caller, (count) => (counts ? { count } : {}))
      }),
    }),
    userEndpoint({
      method: "DELETE",
      path: `${path}/{${idName}:int}`,
      fresh: "onRefusal",
      summary: summaries.remove,
      params: { item: id(idName, Number) },
      reply: noFields,
      errors: [],
      run: Effect.fnUntraced(function* (caller, { params: { item } }) {
        yield* requireOwner(caller, admit)
        yield* removeOwn(list, caller, item)
        return dataReply()
      }),
    }),
  ]
}
