import { defineFeature } from "../../feature.ts"

export const ownListsFeature = defineFeature({
  area: "ground",
  name: "own-lists",
  about:
    "lists that only their owner sees, kept by the database: `ownList` makes kind, section and rows of a definition, `addOwn`, `updateOwn`, `removeOwn` and `readOwn` are its commands, `answerOwn` lists a long one, `ownEndpoints` are what all have",
})
