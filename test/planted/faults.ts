/** The planted faults: over all parts of the tree, each one plausible line. */
import type { Fault } from "./fault.ts"
import { conversationFaults } from "./faults/conversations.ts"
import { groundFaults } from "./faults/ground.ts"
import { organizationFaults } from "./faults/organization.ts"
import { platformFaults } from "./faults/platform.ts"

export const faults: ReadonlyArray<Fault> = [
  ...platformFaults,
  ...groundFaults,
  ...organizationFaults,
  ...conversationFaults,
]
