/** One of the processes of `npm test`: its files run one after the other. The longest process is the first to start. */
import { runFiles } from "./run-files.ts"

runFiles(
  "fuzz",
  "walks/conventions",
  "walks/enumerations",
  "walks/garbage",
  "walks/hidden",
  "walks/late-answers",
  "walks/leaks",
  "walks/matrix",
  "walks/people-model",
  "walks/realm-model",
  "walks/spellings",
  "walks/versioning",
  "walks/worst-cases",
  "chat/people",
)
