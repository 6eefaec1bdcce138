/** Writes the pages of docs that are made from the sources: `npm run docs`, from the root of the project. */
import { writeFileSync } from "node:fs"
import { roomsPage } from "./rooms-table.ts"

writeFileSync("docs/rooms.md", roomsPage)
