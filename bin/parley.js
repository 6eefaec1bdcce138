#!/usr/bin/env -S MALLOC_MMAP_THRESHOLD_=131072 node
/**
 * The `parley` command. In a checkout (the published package has no scripts/) it compiles what was edited since the
 * last build; then it hands over to the program, which is a bundle. The setting in its first line
 * makes glibc give large pieces of memory back to the system as soon as they are free (docs/operations.md, Memory); the C
 * library reads it before node runs.
 */
import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"

const builder = new URL("../scripts/build.mjs", import.meta.url)

/**
 * A build is a process of its own: the compiler and the bundler would leave a gigabyte in the server's.
 * @returns {Promise<boolean>}
 */
const isBuilt = async () => {
  if (!existsSync(builder)) return true
  const { isBuildDue } = await import(builder.href)
  if (!isBuildDue()) return true
  const { spawnSync } = await import("node:child_process")
  return spawnSync(process.execPath, [fileURLToPath(builder), "--if-stale"], { stdio: ["ignore", 2, 2] }).status === 0
}

if (await isBuilt()) await import(new URL("../dist/program/main.js", import.meta.url).href)
else process.exitCode = 1
