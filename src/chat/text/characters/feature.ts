import { defineFeature } from "../../feature.ts"

export const charactersFeature = defineFeature({
  area: "text",
  name: "characters",
  about:
    "characters of any script: where a word ends, which brackets and quotes belong together, where an address ends, entities of HTML",
})
