import { defineFeature } from "../../feature.ts"
import { commandRowsJob } from "./command-rows.ts"

export const commandsFeature = defineFeature({
  area: "server",
  name: "commands",
  about:
    "what operators ask by the command line: organizations, accounts, roles, keys, passwords, a test of mails; how it reaches a running server",
  jobs: [commandRowsJob],
})
