/** One of the processes of `npm test`: its files run one after the other. The longest process is the first to start. */
import { runFiles } from "./run-files.ts"

runFiles("faults", "http", "clients", "kit", "package", "sources")
