import { defineFeature } from "../../feature.ts"

export const wireFeature = defineFeature({
  area: "ground",
  name: "wire",
  about:
    "people, channels, groups, subscriptions as clients read them: the function that makes each record, and the Schema that says what it looks like",
})
