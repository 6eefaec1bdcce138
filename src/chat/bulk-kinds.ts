/** Every kind of work that goes in chunks: what the server must know at its start to finish what was begun. */
import type { StoredKind } from "./bulk.ts"
import { returning } from "./channel-archive.ts"
import { subscribing, unsubscribing } from "./subscription-chunks.ts"
import { groupMembers } from "./user-group-items.ts"

export const bulkKinds: ReadonlyArray<StoredKind> = [subscribing, unsubscribing, returning, groupMembers]
