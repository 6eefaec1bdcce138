/** All kinds of events, sections of register and parts of the projection, for tests without a server. */
import { Catalog } from "../../src/chat/ground/kinds/catalog.ts"
import { eventKinds, namedFiles, parts, registerSections } from "../../src/chat/rooms.ts"

export const catalog = Catalog.listing({ kinds: eventKinds, sections: registerSections, parts, files: namedFiles })

/** The parts of an organization that has nothing of any. */
export const emptyParts = () => parts.map((part) => part.empty())
