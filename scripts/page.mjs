/**
 * Makes the page that people chat in, dist/page: a script, what it loads later, and one style sheet, named by what is in them, so
 * that browsers may keep them for ever, and each compressed as well as it can be. index.json says how they are called. Called by
 * build.mjs.
 */
import { createHash } from "node:crypto"
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { brotliCompressSync, constants, gzipSync } from "node:zlib"
import { rolldown } from "rolldown"

/** Without comments and indentation: what is left of the difference is small once compressed. */
const small = (/** @type {string} */ css) =>
  css
    .replaceAll(/\/\*[\s\S]*?\*\//g, "")
    .replaceAll(/\s+/g, " ")
    .replaceAll(/ ?([{};,]) ?/g, "$1")
    .trim()

/**
 * @param {string} folder
 * @param {string} file
 * @param {string} text
 */
const put = (folder, file, text) => {
  const bytes = Buffer.from(text)
  const params = { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length }
  writeFileSync(join(folder, `${file}.gz`), gzipSync(bytes, { level: 9 }))
  writeFileSync(join(folder, `${file}.br`), brotliCompressSync(bytes, { params }))
  return file
}

/**
 * Answers the modules that are in it.
 * @param {string} root
 */
export const makePage = async (root) => {
  const folder = join(root, "dist", "page")
  const made = await rolldown({
    cwd: root,
    input: { page: "src/web/main.tsx" },
    platform: "browser",
    logLevel: "warn",
    tsconfig: join(root, "src", "web", "tsconfig.json"),
  })
  const { output } = await made.generate({
    format: "esm",
    comments: false,
    minify: true,
    entryFileNames: "[name]-[hash].js",
    chunkFileNames: "[name]-[hash].js",
    hashCharacters: "base36",
  })
  await made.close()
  const chunks = output.flatMap((each) => (each.type === "chunk" ? each : []))
  const style = join(root, "src", "web", "style")
  const sheets = readdirSync(style).sort()
  const css = small(sheets.map((name) => readFileSync(join(style, name), "utf8")).join("\n"))
  const digest = createHash("sha256").update(css).digest("base64url").replaceAll(/[-_]/g, "").slice(0, 8)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  for (const { fileName, code } of chunks) put(folder, fileName, code)
  const names = {
    script: chunks.find(({ isEntry }) => isEntry)?.fileName,
    style: put(folder, `page-${digest}.css`, css),
    parts: chunks.flatMap(({ isEntry, fileName }) => (isEntry ? [] : [fileName])),
  }
  writeFileSync(join(folder, "index.json"), `${JSON.stringify(names)}\n`)
  return chunks.flatMap(({ moduleIds }) => moduleIds)
}

/**
 * Bundles the tests of views, test/web/views, into dist/test: views are written for a browser and with JSX, which the compiler of
 * all other tests does not know. What they ask of the browser they get from page-globals.ts, so that the process of the tests,
 * which other tests run in, has no `document` or `location`. Each has modules of its own: `rtl-` ones are in the test language.
 * @param {string} root
 */
export const makeViewTests = async (root) => {
  const sources = join(root, "test", "web", "views")
  const folder = join(root, "dist", "test", "web", "views")
  const given = ["WebSocket", "addEventListener", "document", "history", "localStorage", "location", "navigator"]
  rmSync(folder, { recursive: true, force: true })
  for (const name of readdirSync(sources).filter((name) => name.endsWith(".test.tsx"))) {
    const globals = join(sources, name.startsWith("rtl-") ? "page-globals-rtl.ts" : "page-globals.ts")
    const made = await rolldown({
      cwd: root,
      input: join(sources, name),
      platform: "node",
      external: /^(node:|tap$|preact|htmlparser2)/,
      logLevel: "warn",
      tsconfig: join(sources, "tsconfig.json"),
      transform: { inject: Object.fromEntries(given.map((each) => [each, [globals, each]])) },
    })
    await made.write({ file: join(folder, name.replace(/tsx$/, "js")), format: "esm", sourcemap: true })
    await made.close()
  }
}
