/** One of the processes of `npm test`: its files run one after the other. */
import { runFiles } from "./run-files.ts"

runFiles("walks/conventions", "walks/garbage", "walks/leaks", "walks/matrix", "walks/realm-model", "walks/versioning")
