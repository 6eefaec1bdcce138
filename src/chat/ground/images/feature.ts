import { room } from "../../room.ts"
import { picturesLayer } from "./process/pictures.ts"

export const imagesRoom = room({
  wing: "ground",
  name: "images",
  about:
    "what bytes are as a picture, what is too much to decode, thumbnails and their formats; `process`: the processes in which the image library runs, each ended by a file that takes too much",
  layer: picturesLayer,
})
