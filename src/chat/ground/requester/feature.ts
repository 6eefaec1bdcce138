import { room } from "../../room.ts"

export const requesterRoom = room({
  wing: "ground",
  name: "requester",
  about: "the sender of a request, submitting commands, valid names",
})
