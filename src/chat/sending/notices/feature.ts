import { room } from "../../room.ts"

export const noticesRoom = room({
  wing: "sending",
  name: "notices",
  about: "messages by Notification Bot, in the commit of the change that they tell of",
})
