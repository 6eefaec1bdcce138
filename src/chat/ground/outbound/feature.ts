import { defineFeature } from "../../feature.ts"

export const outboundFeature = defineFeature({
  area: "ground",
  name: "outbound",
  about:
    "the one client by which the server fetches what users name: public addresses, for calls of programs what is opened, too; bounded in bytes, time and number",
})
