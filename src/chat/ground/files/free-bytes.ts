/** How much room a disk has. */
import { statfs } from "node:fs/promises"
import { dirname } from "node:path"

/** Bytes that the server may write where this folder is, or will be; null where the system does not say. */
export const freeBytes = async (folder: string): Promise<number | null> => {
  for (let at = folder; ; at = dirname(at)) {
    try {
      const { bavail, bsize } = await statfs(at)
      return bavail * bsize
    } catch {
      if (dirname(at) === at) return null
    }
  }
}
