import { defineFeature } from "../../feature.ts"
import { playgroundKind, playgroundSection, playgrounds } from "./realm-playground-event.ts"
import { playgroundEndpoints } from "./realm-playgrounds.ts"

export const realmPlaygroundsFeature = defineFeature({
  area: "organization",
  name: "realm-playgrounds",
  about: "places elsewhere where clients open the code of a message",
  chapter: "organization",
  endpoints: playgroundEndpoints,
  kinds: [playgroundKind],
  projectionParts: [playgrounds],
  sections: [playgroundSection],
})
