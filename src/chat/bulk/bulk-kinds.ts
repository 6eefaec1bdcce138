/** Every kind of work that goes in chunks: what the server must know at its start to finish what was begun. */

import { returning } from "../channels/channel-archive.ts"
import { subscribing, unsubscribing } from "../subscriptions/subscription-chunks.ts"
import { groupMembers } from "../user-groups/user-group-items.ts"
import type { StoredKind } from "./bulk.ts"

export const bulkKinds: ReadonlyArray<StoredKind> = [subscribing, unsubscribing, returning, groupMembers]
