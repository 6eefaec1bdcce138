/** One of the processes of `npm test`: its files run one after the other. */
import { runFiles } from "./run-files.ts"

runFiles("chat/personal", "chat/channels", "chat/organization")
