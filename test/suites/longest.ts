/** Test files that take long, the longest first, as measured: they are begun before the others. */
export const longest: ReadonlyArray<string> = [
  "walks/settles.test.ts",
  "main.test.ts",
  "testing/kit.test.ts",
  "main-processes.test.ts",
  "command-line/backup/backup-processes.test.ts",
  "walks/hidden.test.ts",
  "walks/matrix.test.ts",
  "walks/garbage.test.ts",
  "walks/moves-model.test.ts",
  "testing/ends.test.ts",
  "faults/power-cut.test.ts",
  "command-line/test-server-processes.test.ts",
  "chat/server/setup/demo.test.ts",
  "chat/changing/thumbnails/thumbnails.test.ts",
  "walks/people-model.test.ts",
]
