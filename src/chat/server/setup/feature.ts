import { room } from "../../room.ts"

export const setupRoom = room({
  wing: "server",
  name: "setup",
  about: "commands of the server itself: making organizations, the demo",
})
