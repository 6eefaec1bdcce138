/** All files of the program, its tests and its tools, for the tests of the sources. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { Source } from "./source-rules.ts"

const folders = ["src", "test", "bench", "scripts", "bin"].filter((folder) => existsSync(folder))

export const readSources = (): ReadonlyArray<Source> =>
  folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => ({ path: path.replaceAll("\\", "/"), text: readFileSync(path, "utf8") })),
  )
