import { room } from "../../room.ts"
import { linkifiers } from "./linkifiers.ts"

export const linkifiersRoom = room({
  wing: "text",
  name: "linkifiers",
  about: "patterns that administrators write, run by RE2 (re2js), and their templates of addresses",
  parts: [linkifiers],
})
