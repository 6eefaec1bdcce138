/**
 * Runs many test files in one process: a process costs two seconds and a database one. Each file is announced by a
 * comment, `file: <path below test>`, by which the reporter and the final count (scripts/) tell them apart.
 */
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import t from "tap"

const root = fileURLToPath(new URL("..", import.meta.url))

/** Paths of the compiled test files at or below `place`: a folder or a file of test/, `.` for the files of test/ itself. */
const filesAt = (place: string): ReadonlyArray<string> =>
  readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".test.js"))
    .filter((file) =>
      place === "." ? !file.includes("/") : file.startsWith(`${place}/`) || file === `${place}.test.js`,
    )
    .sort()

/** All files are imported before the first test runs, so that the tests of all of them are in line from then on. */
export const runFiles = (...places: ReadonlyArray<string>) =>
  t.test("test files are imported", async (importing) => {
    for (const file of places.flatMap(filesAt)) {
      t.comment(`file: ${file.replace(/\.js$/, ".ts")}`)
      await importing.resolves(import(join(root, file)), file)
    }
  })
