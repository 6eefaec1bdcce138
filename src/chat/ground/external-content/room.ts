import { room } from "../../room.ts"

export const externalContentRoom = room({
  wing: "ground",
  name: "external-content",
  about: "pictures of other servers under addresses of this one",
})
