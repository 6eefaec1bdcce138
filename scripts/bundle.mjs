/**
 * Makes one bundle of the program, dist/program, which bin/parley.js runs: Node's loader takes most of a start for the
 * number of files that it has to find and read. Each thread and process that the program starts is an entry beside it, and
 * what the package exports. dist/src has the same modules one by one, for tests. Called by build.mjs, after the compiler has
 * found no error.
 */
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { basename, join } from "node:path"
import { rolldown } from "rolldown"

/** @typedef {{ dependencies: Record<string, string> }} Manifest */

/**
 * Packages that stay outside: what is native or WebAssembly, and what is loaded by `require` or has files of its own that
 * are not always needed. They are the dependencies of package.json, which is what an install of the packed program brings;
 * what is in the bundle is needed only to make it, and stands among the development dependencies.
 * @param {string} root
 */
const outside = (root) => {
  /** @type {Manifest} */
  const { dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
  const names = Object.keys(dependencies)
  return (/** @type {string} */ id) => names.some((name) => id === name || id.startsWith(`${name}/`))
}

/** What the package exports, beside the command. */
const exported = { client: "src/client/index.ts", testing: "src/testing/index.ts" }

/**
 * The files that the program starts as a thread or a process: it names each by its compiled name beside its own, as in
 * `new URL("./hash-thread.js", import.meta.url)`. All entries lie in one folder, so these names hold in the bundle too.
 * @param {string} root
 * @param {ReadonlyArray<string>} sources
 * @returns {Record<string, string>}
 */
const findEntries = (root, sources) => {
  /** @type {Record<string, string>} */
  const entries = { main: "src/main.ts", ...exported }
  for (const source of sources) {
    for (const [, name = ""] of readFileSync(join(root, source), "utf8").matchAll(/"\.\/([\w-]+)\.js"/g)) {
      const file = join(source, "..", `${name}.ts`)
      if ((entries[name] ?? file) !== file) throw new Error(`two entries of the bundle are called ${name}`)
      if (!existsSync(join(root, file))) throw new Error(`${source} names ${name}.js, which is no file of the program`)
      entries[name] = file
    }
  }
  return entries
}

/**
 * Names have no digests: what runs already finds the files that it loads later. Comments would be a quarter of the bytes, and
 * the sources, which stack-traces.ts has no use for, most of the maps. Answers the modules that are in it.
 * @param {string} root
 * @param {ReadonlyArray<string>} sources those of the program, as paths from its root
 */
export const bundle = async (root, sources) => {
  const folder = join(root, "dist", "program")
  const made = await rolldown({
    cwd: root,
    input: findEntries(root, sources),
    platform: "node",
    external: outside(root),
    logLevel: "warn",
  })
  const { output } = await made.write({
    dir: folder,
    format: "esm",
    comments: false,
    sourcemap: true,
    sourcemapExcludeSources: true,
    entryFileNames: "[name].js",
    chunkFileNames: "[name].js",
  })
  await made.close()
  const wanted = new Set(output.flatMap(({ fileName }) => [fileName, `${fileName}.map`]))
  for (const name of readdirSync(folder)) if (!wanted.has(basename(name))) rmSync(join(folder, name))
  return output.flatMap((file) => (file.type === "chunk" ? file.moduleIds : []))
}
