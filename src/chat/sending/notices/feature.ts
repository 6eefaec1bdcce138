import { defineFeature } from "../../feature.ts"

export const noticesFeature = defineFeature({
  area: "sending",
  name: "notices",
  about: "messages by Notification Bot, in the commit of the change that they tell of",
})
