/** One of the processes of `npm test`: its files run one after the other. */
import { runFiles } from "./run-files.ts"

runFiles("events", "chat/setup", "chat/sync", "chat/bulk", "chat/kinds", "chat/runtime")
