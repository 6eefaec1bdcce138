import { room } from "../../room.ts"
import { thumbnailsJob } from "./thumbnail-work.ts"

export const thumbnailsRoom = room({
  wing: "changing",
  name: "thumbnails",
  about:
    "the smaller forms of uploaded pictures, made beside the uploads, and shown then by the messages that link them",
  jobs: [thumbnailsJob],
})
