import { room } from "../../room.ts"
import { heartbeatKind, noopKind } from "./own-kinds.ts"
import { filesJob, pruneJob, saveJob, sweepJob } from "./runtime-jobs.ts"

export const runtimeRoom = room({
  wing: "server",
  name: "runtime",
  about: "wires the parts of a running realm together",
  kinds: [heartbeatKind, noopKind],
  jobs: [saveJob, sweepJob, pruneJob, filesJob],
})
