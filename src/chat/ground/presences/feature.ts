import { room } from "../../room.ts"
import { presences } from "./presences.ts"

export const presencesRoom = room({
  wing: "ground",
  name: "presences",
  about:
    "when people were last active and connected, in the order in which that changed, and lists of it that answers share",
  parts: [presences],
})
