/**
 * Who may read the figures of the whole server (`GET /metrics`) by their key: the owners of its only organization. Where there are
 * several, an owner runs one of them and not the server.
 */

import type { Realms } from "../../ground/realm/realms.ts"
import { roles } from "../../ground/realm/values.ts"
import type { Account } from "../../ground/sign-in/sign-in.ts"

/** `host`: by which they ask, without its port. */
export const readsFigures =
  (realms: Pick<Realms["Service"], "isOneOfSeveral" | "running">) =>
  (host: string, { realm, user, isWebhookBot }: Account): boolean =>
    !isWebhookBot && !realms.isOneOfSeveral(host) && realms.running(realm)?.realm.users.get(user)?.role === roles.owner
