/** Writes what is made from the sources and kept beside them: `npm run docs`, from the root of the project. */
import { writeFileSync } from "node:fs"
import { clientTypes } from "../../src/openapi/client-types.ts"
import { readDescription } from "../kit/described.ts"
import { featureListPage } from "./feature-list.ts"

writeFileSync("docs/feature-list.md", featureListPage)
writeFileSync("src/client/api.ts", clientTypes(readDescription()))
