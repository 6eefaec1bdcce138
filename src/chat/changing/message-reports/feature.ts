import { room } from "../../room.ts"
import { reportMessage } from "./report-message.ts"

export const messageReportsRoom = room({
  wing: "changing",
  name: "message-reports",
  about:
    "messages reported to the moderators: a copy in their channel, by Notification Bot, which links the files, too",
  endpoints: [reportMessage],
})
