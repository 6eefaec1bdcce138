import { room } from "../../room.ts"
import { commandRowsJob } from "./command-rows.ts"

export const commandsRoom = room({
  wing: "server",
  name: "commands",
  about:
    "what operators ask by the command line: organizations, accounts, keys, passwords; how it reaches a running server",
  jobs: [commandRowsJob],
})
