/**
 * Ends queues and connections in the turn of the row that ends them: of users whose queues end, of a user who was
 * deactivated or has a new API key, of everybody when the organization is deactivated. Called by the feed for each row.
 */
import type { LogRow } from "../../../events/event.ts"
import type { DeliveryHub } from "../../../events/hub.ts"
import type { EventQueues } from "../../../events/queues/queues.ts"
import type { EventKinds } from "../../ground/kinds/catalog.ts"

export interface ShutOutOptions {
  readonly kinds: EventKinds
  readonly queues: Pick<EventQueues, "endUsers" | "disconnectUser" | "connected">
  readonly hub: Pick<DeliveryHub, "whenPassed">
}

export const makeShutOut =
  ({ kinds, queues, hub }: ShutOutOptions) =>
  (row: LogRow): void => {
    const kind = kinds.get(row.type)
    const ended = kind?.endsQueues(row) ?? []
    if (ended.length > 0) queues.endUsers(ended)
    const out = kind?.shutsOut(row)
    if (out === undefined) return
    // One user: at once. Their queues stay, so unsent events can be read when the user signs in again.
    if (out.who !== "everybody") return queues.disconnectUser(out.who, out.reason)
    // Everybody: the row itself tells why, so connections end after the hub has delivered it and it has been sent.
    hub.whenPassed(row.position, () => {
      for (const queue of queues.connected()) queue.dismiss(out.reason)
    })
  }
