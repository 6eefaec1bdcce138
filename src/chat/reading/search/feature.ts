import { defineFeature } from "../../feature.ts"
import { SearchIndex, searchIndexJob } from "./search-index.ts"
import { stopWordsSection } from "./stop-words.ts"

export const searchFeature = defineFeature({
  area: "reading",
  name: "search",
  about:
    "the words of messages: an index of them by place, a moment behind the sends; the operand of the narrow `search`, and marking what it found in HTML",
  sections: [stopWordsSection],
  jobs: [searchIndexJob],
  layer: SearchIndex.layer,
})
