/** All that the capabilities bring, as the server of a test has it too. */
import { eventKinds, registerSections } from "../../src/chat/capabilities.ts"
import { Catalog } from "../../src/chat/kinds/catalog.ts"

export const catalog = Catalog.listing(eventKinds, registerSections)
