/** One of the processes of `npm test`: its files run one after the other. The longest process is the first to start. */
import { runFiles } from "./run-files.ts"

runFiles(".", "api", "client", "config", "command-line", "fairness", "start", "testing", "web")
