/**
 * Writes what the page of the interface is made of into dist/docs, compressed, once per build: the OpenAPI document, and the
 * viewer that shows it (Swagger UI) with its licence. Run by scripts/build.mjs.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { constants, gzipSync } from "node:zlib"
import * as Schema from "effect/Schema"
import { endpointsByFeature, eventKinds } from "../chat/features.ts"
import { describe } from "./document.ts"

const root = new URL("../../../", import.meta.url)
const folder = new URL("dist/docs/", root)
const viewer = new URL("node_modules/swagger-ui-dist/", root)

const { version } = Schema.decodeUnknownSync(Schema.Struct({ version: Schema.String }))(
  JSON.parse(readFileSync(new URL("package.json", root), "utf8")),
)

const write = (name: string, bytes: Uint8Array): void =>
  writeFileSync(new URL(`${name}.gz`, folder), gzipSync(bytes, { level: constants.Z_BEST_COMPRESSION }))

mkdirSync(folder, { recursive: true })
const document = describe({ chapters: endpointsByFeature, kinds: eventKinds }, version)
write("openapi.json", Buffer.from(JSON.stringify(document)))
for (const name of ["swagger-ui-bundle.js", "swagger-ui.css", "LICENSE", "NOTICE"])
  write(name, readFileSync(new URL(name, viewer)))
