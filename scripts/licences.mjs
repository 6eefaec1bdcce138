/**
 * The licences of all that others have written and that the package ships: what the bundlers have put into the program, the
 * client, the kit and the page, the viewer of the documentation, and the image that the embedded database begins with. One
 * file, dist/THIRD-PARTY-LICENSES, made by build.mjs of what the bundlers say they have used; a licence that nobody has looked at,
 * and a package without its text, end the build. What is in `dependencies` comes with its own.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"

/** Licences, by their names in SPDX, under which something may be shipped beside Apache-2.0. */
export const allowed = [
  "Apache-2.0",
  "BlueOak-1.0.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "CC0-1.0",
  "ISC",
  "MIT",
  "MIT-0",
  "Unlicense",
]

/** Of these no copy is asked for. */
const withoutText = ["CC0-1.0", "MIT-0", "Unlicense"]

/** What is shipped and no bundler sees: the viewer, which is a bundle itself and names its parts in a file, and PGlite's image. */
const copied = [
  { name: "swagger-ui-dist", further: ["swagger-ui-bundle.js.LICENSE.txt"] },
  { name: "@electric-sql/pglite", further: [] },
]

/** @typedef {{ name: string, version: string, license?: string }} Manifest */

/**
 * The package of which a module is, by its folder, or undefined for a module of the project. `id`: as the bundler names it.
 * @param {string} root
 * @param {string} id
 */
const folderOf = (root, id) => {
  // Helpers that the bundler adds are no files.
  if (/^\0(rolldown|@oxc-project)/.test(id)) return join(root, "node_modules", "rolldown")
  const [, folder] = /^\0?(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(id) ?? []
  return folder
}

/**
 * The licence and its texts, or an error that says what is wrong.
 * @param {string} folder
 * @param {ReadonlyArray<string>} further names of files with further texts
 */
export const licenceOf = (folder, further = []) => {
  /** @type {Manifest} */
  const { name, version, license = "" } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))
  const choices = license.replace(/^\((.*)\)$/, "$1").split(" OR ")
  if (!choices.some((each) => allowed.includes(each)))
    throw new Error(`${name} ${version} has the licence "${license}": may it be shipped? See scripts/licences.mjs`)
  const files = readdirSync(folder).filter((file) => /^((un)?licen[cs]e|copying|notice)/i.test(file))
  if (files.length === 0 && !choices.some((each) => withoutText.includes(each)))
    throw new Error(`${name} ${version} has no file with its licence, which has to be shipped with it`)
  const texts = [...files, ...further].map((file) => readFileSync(join(folder, file), "utf8").trim())
  return { name, text: [`${name} ${version} (${license})`, ...texts].join("\n\n") }
}

/**
 * The text of the file.
 * @param {string} root
 * @param {ReadonlyArray<string>} modules those of all bundles, as the bundler names them
 */
export const licences = (root, modules) => {
  const found = new Map(copied.map(({ name, further }) => [name, licenceOf(join(root, "node_modules", name), further)]))
  const folders = new Set(modules.flatMap((id) => folderOf(root, id) ?? []))
  for (const folder of folders) {
    const licence = licenceOf(folder)
    // One package may be there in two versions.
    if (!copied.some(({ name }) => name === licence.name)) found.set(folder, licence)
  }
  const texts = [...found.values()].map(({ text }) => text).sort()
  const head =
    "Parley is under the Apache License 2.0 (LICENSE). It ships parts of these packages, under their own licences."
  return `${[head, ...texts].join(`\n\n${"-".repeat(80)}\n\n`)}\n`
}

/**
 * @param {string} root
 * @param {ReadonlyArray<string>} modules
 */
export const writeLicences = (root, modules) =>
  writeFileSync(join(root, "dist", "THIRD-PARTY-LICENSES"), licences(root, modules))
