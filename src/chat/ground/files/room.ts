import { room } from "../../room.ts"
import { folderFiles } from "./folder-files.ts"

export const filesRoom = room({
  wing: "ground",
  name: "files",
  about:
    "where the bytes of uploads are kept: the contract, and a folder that fulfils it; `stored-with`: bytes, then the row that names them; `sweep`: files that no row names; what asks for the files that a message links, and for their smaller forms",
  layer: folderFiles,
})
