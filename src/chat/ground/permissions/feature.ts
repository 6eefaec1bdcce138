import { defineFeature } from "../../feature.ts"

export const permissionsFeature = defineFeature({
  area: "ground",
  name: "permissions",
  about:
    "`permissions`: every `may*`, once; endpoints, register and the audiences of events ask here. `group-settings`: values of permissions, read, checked, compared and shown in one normal form. `channel-visibility`: who sees which channels before and after, and the rows that tell",
})
