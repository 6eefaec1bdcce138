import { room } from "../../room.ts"
import { playgroundKind, playgroundSection, playgrounds } from "./realm-playground-event.ts"
import { playgroundEndpoints } from "./realm-playgrounds.ts"

export const realmPlaygroundsRoom = room({
  wing: "organization",
  name: "realm-playgrounds",
  about: "places elsewhere where clients open the code of a message",
  endpoints: playgroundEndpoints,
  kinds: [playgroundKind],
  parts: [playgrounds],
  sections: [playgroundSection],
})
