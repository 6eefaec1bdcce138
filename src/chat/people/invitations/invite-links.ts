/** POST /invites/multiuse, DELETE /invites/multiuse/{id} (contract 3.11): links by which anybody may come who knows them. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { dataReply, noFields, userEndpoint } from "../../../api/endpoint.ts"
import { badRequest } from "../../../api/errors.ts"
import { integer, withDefault } from "../../../api/params.ts"
import { Config } from "../../../config/config.ts"
import { change, judgementOf, refused } from "../../../events/command.ts"
import { submitAs } from "../../ground/requester/submit.ts"
import { mayAskDirectory } from "../../ground/sign-in/password-sign-in.ts"
import { Url } from "../../ground/wire/wire-values.ts"
import { newInvitationLink } from "./invitation-link.ts"
import { channelIds, expiry, offerFields, offerParams } from "./invitation-params.ts"
import { requireOffer } from "./invitation-rules.ts"
import { invitesChanged } from "./invites-changed-event.ts"
import { revoke } from "./manage-invitations.ts"

/** Open links of an organization. */
const mostOpen = 500

/** An address that no mail has proved would be one that the directory lets somebody else into. */
const byDirectory = badRequest(
  "People sign in by a directory here: a link for many would let nobody in. Invite them by mail.",
)

const postLink = userEndpoint({
  method: "POST",
  path: "/invites/multiuse",
  fresh: "onRefusal",
  summary: "Makes a link by which many people may join the organization.",
  params: { channels: withDefault(channelIds, []), expiry, ...offerParams },
  reply: Schema.Struct({ invite_link: Url }),
  errors: ["UNAUTHORIZED_PRINCIPAL"],
  run: Effect.fnUntraced(function* (caller, { params: { expiry, ...offer } }) {
    const config = yield* Config
    const { secret, limits } = config
    const { link, seed, link_hash } = newInvitationLink(secret, caller.realm, caller.origin)
    const minutes = expiry === undefined ? limits.invitationLinkValidityMinutes : expiry
    yield* submitAs(caller, (realm, actor) =>
      judgementOf(requireOffer(realm, actor, "link", offer), () => {
        if (mayAskDirectory(realm.settings, config)) return refused(byDirectory)
        const fields = { ...offerFields(offer), inviter_id: actor.id, notifies: true, minutes }
        const beside = { is_link: true, many: 1, most: mostOpen, fields, each: [{ seed, link_hash }] }
        return change([invitesChanged(realm, actor.id, { op: "make" }, beside)], {
          answer: () => undefined,
          refused: {
            full: refused(
              badRequest("This organization has too many open links for invitations: revoke some of them first"),
            ),
          },
        })
      }),
    )
    return dataReply({ invite_link: link })
  }),
})

const deleteLink = userEndpoint({
  method: "DELETE",
  path: "/invites/multiuse/{invite_id:int}",
  fresh: "onRefusal",
  summary: "Revokes a link by which people may join the organization.",
  params: { id: integer("invite_id") },
  reply: noFields,
  errors: ["UNAUTHORIZED_PRINCIPAL"],
  run: Effect.fnUntraced(function* (caller, { params: { id } }) {
    yield* revoke(caller, id, true)
    return dataReply()
  }),
})

export const linkEndpoints = [postLink, deleteLink]
