/** The variables that `npm start` sets before node runs: what starts the program in another way must set them too. */
import { readFileSync } from "node:fs"
import * as Schema from "effect/Schema"
import { packageFile } from "../../src/db/package-root.ts"

const decode = Schema.decodeUnknownSync(Schema.Struct({ scripts: Schema.Struct({ start: Schema.String }) }))

/** From `exec env NAME=value ... node bin/parley.js` of package.json. */
export const startEnvironment: Readonly<Record<string, string>> = (() => {
  const { start } = decode(JSON.parse(readFileSync(packageFile("package.json"), "utf8"))).scripts
  const words = /^exec env (.+) node bin\/parley\.js$/.exec(start)?.[1]?.split(" ")
  if (words === undefined) throw new Error(`the start command has another form: ${start}`)
  return Object.fromEntries(words.map((word) => [word.slice(0, word.indexOf("=")), word.slice(word.indexOf("=") + 1)]))
})()
