/** A folder for programs that are run: below the user's cache, and nobody else may put anything into it. */
import { lstatSync, mkdirSync } from "node:fs"
import { homedir } from "node:os"
import { isAbsolute, join } from "node:path"

/** By the rule of the desktops: a relative `XDG_CACHE_HOME` is none. */
export const cacheFolder = (env: NodeJS.ProcessEnv): string => {
  const given = env["XDG_CACHE_HOME"] ?? ""
  return isAbsolute(given) ? given : join(homedir(), ".cache")
}

const othersMayWrite = 0o022

/** Makes it where it is absent. Null where it is this user's alone; else why it is not used. `user`: no id on Windows. */
export const keepPrivate = (folder: string, user: number | undefined = process.getuid?.()): string | null => {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const found = lstatSync(folder)
    if (!found.isDirectory()) return `${folder} is no folder`
    if (user === undefined) return null
    if (found.uid !== user) return `${folder} belongs to another user`
    return (found.mode & othersMayWrite) === 0 ? null : `others may write into ${folder}`
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
