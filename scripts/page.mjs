/**
 * Makes the page that people chat in, dist/page: one script and one style sheet, named by what is in them, so that browsers may
 * keep them for ever, and each compressed as well as it can be. index.json says how they are called. Called by build.mjs.
 */
import { createHash } from "node:crypto"
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { brotliCompressSync, constants, gzipSync } from "node:zlib"
import { rolldown } from "rolldown"
import { licences } from "./bundle.mjs"

/** Without comments and indentation: what is left of the difference is small once compressed. */
const small = (/** @type {string} */ css) =>
  css
    .replaceAll(/\/\*[\s\S]*?\*\//g, "")
    .replaceAll(/\s+/g, " ")
    .replaceAll(/ ?([{};,]) ?/g, "$1")
    .trim()

/**
 * @param {string} folder
 * @param {string} name
 * @param {string} text
 */
const put = (folder, name, text) => {
  const digest = createHash("sha256").update(text).digest("base64url").replaceAll(/[-_]/g, "").slice(0, 12)
  const [stem, ending] = name.split(".")
  const file = `${stem}-${digest}.${ending}`
  const bytes = Buffer.from(text)
  const params = { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length }
  writeFileSync(join(folder, `${file}.gz`), gzipSync(bytes, { level: 9 }))
  writeFileSync(join(folder, `${file}.br`), brotliCompressSync(bytes, { params }))
  return file
}

/** @param {string} root */
export const makePage = async (root) => {
  const folder = join(root, "dist", "page")
  const made = await rolldown({
    cwd: root,
    input: "src/web/main.tsx",
    platform: "browser",
    logLevel: "warn",
    tsconfig: join(root, "src", "web", "tsconfig.json"),
  })
  const { output } = await made.generate({ format: "esm", comments: false, minify: true })
  await made.close()
  const [chunk] = output
  if (output.length !== 1 || chunk.type !== "chunk") throw new Error("the page is more than one script")
  const style = join(root, "src", "web", "style")
  const sheets = readdirSync(style).sort()
  const css = small(sheets.map((name) => readFileSync(join(style, name), "utf8")).join("\n"))
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const names = { script: put(folder, "page.js", chunk.code), style: put(folder, "page.css", css) }
  writeFileSync(join(folder, "index.json"), `${JSON.stringify(names)}\n`)
  writeFileSync(join(folder, "LICENSES.txt"), `${licences(root, chunk.moduleIds)}\n`)
}
