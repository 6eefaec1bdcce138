/** The client as one file for a browser, minified. */
import { rolldown } from "rolldown"
import { packageFile } from "../../src/db/package-root.ts"

export const bundled = async () => {
  const made = await rolldown({ input: packageFile("src/client/index.ts"), platform: "browser", logLevel: "silent" })
  const { output } = await made.generate({ format: "esm", minify: true })
  await made.close()
  if (output.length !== 1) throw new Error(`it is ${output.length} files`)
  return output[0]
}
