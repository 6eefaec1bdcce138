/** Writes what is made from the sources and kept beside them: `npm run docs`, from the root of the project. */
import { writeFileSync } from "node:fs"
import { clientTypes } from "../../src/openapi/client-types.ts"
import { readDescription } from "../kit/described.ts"
import { roomsPage } from "./rooms-table.ts"

writeFileSync("docs/rooms.md", roomsPage)
writeFileSync("src/client/api.ts", clientTypes(readDescription()))
