/** Test files that take long, the longest first, as measured: they are begun before the others. */
export const longest: ReadonlyArray<string> = [
  "main.test.ts",
  "walks/settles.test.ts",
  "walks/garbage.test.ts",
  "walks/hidden.test.ts",
  "walks/matrix.test.ts",
  "walks/people-model.test.ts",
  "walks/realm-model.test.ts",
  "walks/moves-model.test.ts",
]
