/** Run by the build, after compiling: `node dist/src/db/make-image.js` writes dist/pglite-image.gz. Takes 4 s. */
import { makeImage } from "./image.ts"

await makeImage()
