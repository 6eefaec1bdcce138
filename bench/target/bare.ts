/** The server to compare with (bare-server.ts) in a process of its own. */
import * as Schema from "effect/Schema"
import { serveCommands } from "../remote.ts"
import { startBare } from "./bare-server.ts"
import { settledMemory } from "./memory.ts"

const Start = Schema.decodeUnknownSync(Schema.Struct({ eventBytes: Schema.Number }))

serveCommands(
  {
    start: async (wanted) => {
      const { port } = await startBare(Start(wanted).eventBytes)
      return { port, pid: process.pid, databaseThreads: [], accounts: [], channel: { id: 0, name: "" } }
    },
    stats: async () => ({ ...(await settledMemory()), encodes: 0, position: 0, liveQueues: 0 }),
  },
  async () => {},
)
