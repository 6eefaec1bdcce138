import { room } from "../../room.ts"
import { deviceTokenEndpoints } from "./device-tokens.ts"

export const deviceTokensRoom = room({
  wing: "personal",
  name: "device-tokens",
  about: "where a user's phones want their pushes, which nothing sends yet: the example of state without events",
  endpoints: deviceTokenEndpoints,
})
