/**
 * Who may read the figures of the whole server (`GET /metrics`) by their key: the owners of its only organization. Where there are
 * several, or anybody may make one, an owner runs an organization and not the server.
 */

import type { ConfigShape } from "../../../config/config.ts"
import { roles } from "../../ground/realm/domain-values.ts"
import type { Realms } from "../../ground/realm/realms.ts"
import type { SignedInAccount } from "../../ground/sign-in/sign-in.ts"

/** `host`: by which they ask, without its port. */
export const readsFigures =
  (
    realms: Pick<Realms["Service"], "isOneOfSeveral" | "running">,
    { signUpDomain }: Pick<ConfigShape, "signUpDomain">,
  ) =>
  (host: string, { realm, user, isWebhookBot }: SignedInAccount): boolean =>
    signUpDomain === null &&
    !isWebhookBot &&
    !realms.isOneOfSeveral(host) &&
    realms.running(realm)?.realm.users.get(user)?.role === roles.owner
