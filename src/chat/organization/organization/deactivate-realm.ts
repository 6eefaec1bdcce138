/**
 * POST /realm/deactivate: an owner ends the organization. All of its connections end, and nobody can sign in, until an operator
 * brings it back (`parley org reactivate`). Nothing of it is deleted.
 */
import * as Effect from "effect/Effect"
import { dataReply, noFields, userEndpoint } from "../../../api/endpoint.ts"
import { badRequest } from "../../../api/errors.ts"
import { integer, optional } from "../../../api/params.ts"
import { toRealm } from "../../../events/audience.ts"
import { change, type Judgement, refused } from "../../../events/command.ts"
import { realmRows } from "../../ground/kinds/realm-row.ts"
import { mayDeactivateRealm, ranksTooLow } from "../../ground/permissions/permissions.ts"
import { submitAs } from "../../ground/requester/submit.ts"

export const deactivateRealm = userEndpoint({
  method: "POST",
  path: "/realm/deactivate",
  fresh: "onRefusal",
  summary: "Ends the organization: nobody can sign in any more.",
  params: { deletionDays: optional(integer("deletion_delay_days")) },
  reply: noFields,
  errors: ["UNAUTHORIZED_PRINCIPAL"],
  run: Effect.fnUntraced(function* (caller, { params: { deletionDays } }) {
    yield* submitAs(caller, (realm, actor): Judgement<void> => {
      if (!mayDeactivateRealm(actor)) return refused(ranksTooLow(actor))
      if (deletionDays !== undefined)
        return refused(badRequest("This server does not delete the data of organizations that are deactivated"))
      return change([realmRows.change({ op: "deactivated", realm_id: realm.id }, toRealm)])
    })
    return dataReply()
  }),
})
