import { defineFeature } from "../../feature.ts"

export const requesterFeature = defineFeature({
  area: "ground",
  name: "requester",
  about: "the sender of a request, submitting commands, valid names",
})
