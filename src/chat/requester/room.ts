import { room } from "../room.ts"

export const requesterRoom = room({
  name: "requester",
  about: "the sender of a request, submitting commands, valid names",
})
