import { room } from "../../room.ts"
import { deleteEvents, getEvents } from "./events.ts"
import { registerWith } from "./register.ts"
import { unbuiltSections } from "./unbuilt-sections.ts"

export const syncRoom = room({
  wing: "server",
  name: "sync",
  about: "register and the events of a queue",
  endpoints: ({ sections }) => [registerWith(sections), getEvents, deleteEvents],
  placeholders: unbuiltSections,
})
