/** The planted faults: over all parts of the tree, each one plausible line. */
import type { Fault } from "./fault.ts"

export const faults: ReadonlyArray<Fault> = []
