import { defineFeature } from "../../feature.ts"
import { Directory } from "./directory.ts"

export const directoryFeature = defineFeature({
  area: "ground",
  name: "directory",
  about:
    "the one client of the operator's directory (LDAP): whose a name and a password are, bounded in time and number",
  layer: Directory.layer,
})
