import { room } from "../../room.ts"

export const outboundRoom = room({
  wing: "ground",
  name: "outbound",
  about:
    "the one client by which the server fetches what users name: public addresses only, bounded in bytes, time and number",
})
