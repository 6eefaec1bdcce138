import { room } from "../../room.ts"

export const pagePreviewsRoom = room({
  wing: "changing",
  name: "page-previews",
  about:
    "what pages that messages link say of themselves, fetched beside the sends and shown by rendering messages anew",
})
