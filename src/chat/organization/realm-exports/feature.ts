import { defineFeature } from "../../feature.ts"
import { exportFiles } from "./export-files-store.ts"
import { exportPrefix, realmExports } from "./export-list.ts"
import { exportKind } from "./export-work.ts"
import { oldExportsJob } from "./old-exports.ts"
import { realmExportKind } from "./realm-export-event.ts"
import { exportEndpoints } from "./realm-exports.ts"
import { findExport } from "./served-exports.ts"

export const realmExportsFeature = defineFeature({
  area: "organization",
  name: "realm-exports",
  about:
    "exports of the organization: `export-scope` says what one may have, `export-work` has it made by the outbox, `write-export` writes it, `served-exports` sends it",
  chapter: "organization",
  endpoints: exportEndpoints,
  kinds: [realmExportKind],
  projectionParts: [realmExports],
  files: [exportFiles],
  jobs: [exportKind.job, oldExportsJob],
  downloads: [{ prefix: exportPrefix, find: findExport }],
})
