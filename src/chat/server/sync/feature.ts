import { defineFeature } from "../../feature.ts"
import { deleteEvents, getEvents } from "./get-events.ts"
import { registerWith } from "./register.ts"
import { unbuiltSections } from "./unbuilt-sections.ts"

export const syncFeature = defineFeature({
  area: "server",
  name: "sync",
  about: "register and the events of a queue",
  chapter: "events",
  endpoints: ({ sections }) => [registerWith(sections), getEvents, deleteEvents],
  placeholders: unbuiltSections,
})
