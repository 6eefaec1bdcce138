/**
 * Whether a command is run by the user whose data it would open: as another one, root mostly, it would leave files there that the
 * server cannot read, and the service would not start again.
 */
import { readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import type { OperatorSettings } from "../config/read-settings.ts"

const ownerOf = (path: string): number | undefined => {
  try {
    return statSync(path).uid
  } catch {
    return undefined
  }
}

/** What `sudo -u` takes for a user: the name, where the system's list has one. */
const nameOf = (uid: number): string => {
  try {
    const line = readFileSync("/etc/passwd", "utf8")
      .split("\n")
      .find((each) => each.split(":")[2] === String(uid))
    return line?.split(":")[0] ?? `#${uid}`
  } catch {
    return `#${uid}`
  }
}

/** Where the server writes, the most telling first: folders may be made by root for the service, what is in them not. */
const writtenPaths = ({ database, dataFolder, filesFolder }: OperatorSettings): ReadonlyArray<string> => [
  ...(database.kind === "pglite" ? [join(database.folder, "cluster", "PG_VERSION"), database.folder] : []),
  join(dataFolder, "secret"),
  filesFolder,
  dataFolder,
]

/** One line that says how to run it; undefined: it may go on. `uid`: who runs it; undefined where the system has no users. */
export const ownerFault = (
  settings: OperatorSettings,
  argv: ReadonlyArray<string>,
  uid: number | undefined = process.getuid?.(),
): string | undefined => {
  if (uid === undefined) return undefined
  for (const place of writtenPaths(settings)) {
    const owner = ownerOf(place)
    if (owner === uid) return undefined
    if (owner !== undefined)
      return `${place} belongs to ${nameOf(owner)}, and what this command writes there would belong to ${nameOf(uid)}: run it as that user, sudo -u '${nameOf(owner)}' parley ${argv.join(" ")}`
  }
  return undefined
}
