/** All kinds of events, sections of register and parts of the projection, for tests without a server. */

import { eventKinds, namedFiles, projectionParts, registerSections } from "../../src/chat/features.ts"
import { Catalog } from "../../src/chat/ground/kinds/catalog.ts"

export const catalog = Catalog.listing({
  kinds: eventKinds,
  sections: registerSections,
  parts: projectionParts,
  files: namedFiles,
})

/** The parts of an organization that has nothing of any. */
export const emptyParts = () => projectionParts.map((part) => part.empty())
