/** All kinds of events and sections of register, for tests without a server. */
import { eventKinds, registerSections } from "../../src/chat/capabilities.ts"
import { Catalog } from "../../src/chat/kinds/catalog.ts"

export const catalog = Catalog.listing(eventKinds, registerSections)
