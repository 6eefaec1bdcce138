import { defineFeature } from "../../feature.ts"
import { Outbound } from "../../ground/outbound/outbound.ts"
import { botCallKind } from "./outgoing-webhooks.ts"

export const outgoingWebhooksFeature = defineFeature({
  area: "people",
  name: "outgoing-webhooks",
  about: "the programs elsewhere that messages call by bots of that type, and what these answer",
  jobs: [botCallKind.job],
  layer: Outbound.layer,
})
