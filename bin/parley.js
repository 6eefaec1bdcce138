#!/usr/bin/env node
/**
 * The `parley` command. In a checkout (the published package has no scripts/) it compiles what was edited since the
 * last build; then it hands over to the program.
 */
import { existsSync } from "node:fs"

const builder = new URL("../scripts/build.mjs", import.meta.url)

/** @returns {Promise<boolean>} */
const isBuilt = async () => {
  if (!existsSync(builder)) return true
  const { build } = await import(builder.href)
  return build({ force: false })
}

if (await isBuilt()) await import(new URL("../dist/src/main.js", import.meta.url).href)
else process.exitCode = 1
