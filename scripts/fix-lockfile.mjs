/**
 * Completes package-lock.json: npm leaves out the platform packages that the registry could not give it when the file
 * was made, and `npm ci` then refuses the file on every machine. Run it after each change of a dependency
 * (`npm run fix-lockfile`). An entry added here has no integrity, as nobody here has seen the package.
 */
import { readFileSync, writeFileSync } from "node:fs"

const file = new URL("../package-lock.json", import.meta.url)

/**
 * @typedef {{ cpu: string[], os: string[], libc: string[] | undefined, engines: { node: string } | undefined }} Platform
 * @typedef {Partial<Platform> & {
 *   version?: string, dev?: boolean | undefined, license?: string | undefined, optional?: boolean,
 *   optionalDependencies?: Record<string, string>
 * }} Entry
 */

/** @type {{ packages: Record<string, Entry> }} */
const lock = JSON.parse(readFileSync(file, "utf8"))

const systems = ["aix", "android", "darwin", "freebsd", "linux", "netbsd", "openbsd", "sunos", "win32"]
const processors = ["arm", "arm64", "ia32", "loong64", "mips64el", "ppc64", "riscv64", "s390x", "x64"]

/**
 * The platform that a package is for, read from its name (`@uwsjs/linux-arm64-22`: the last number is a Node version).
 * @param {string} name
 * @returns {Platform}
 */
const platformOf = (name) => {
  const words = name.split(/[/-]/)
  const os = words.find((word) => systems.includes(word))
  const cpu = words.find((word) => processors.includes(word))
  if (os === undefined || cpu === undefined)
    throw new Error(`${name} names no platform: add it to the lockfile by hand`)
  const node = Number(words.at(-1))
  return {
    cpu: [cpu],
    os: [os],
    libc: words.includes("musl") ? ["musl"] : undefined,
    engines: Number.isInteger(node) ? { node: `>=${node}.0.0 <${node + 1}.0.0` } : undefined,
  }
}

/**
 * The places where a package finds another, nearest first: its own node_modules, then those above it.
 * @param {string} owner
 * @param {string} name
 */
const placesOf = (owner, name) => {
  const folders = owner.split("/node_modules/")
  const above = folders.map((_, depth) => folders.slice(0, folders.length - depth).join("/node_modules/"))
  return [...above.map((folder) => `${folder}/node_modules/${name}`), `node_modules/${name}`]
}

let added = 0
for (const [owner, entry] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    const places = placesOf(owner, name)
    // A range is npm's own business; platform packages are named by exact version.
    if (!/^\d/.test(version) || places.some((place) => lock.packages[place]?.version === version)) continue
    const free = places.findLast((place) => lock.packages[place] === undefined)
    if (free === undefined) throw new Error(`no place is left for ${name}@${version} of ${owner}`)
    const { cpu, libc, os, engines } = platformOf(name)
    const { dev, license } = entry
    // The order in which npm writes the fields; undefined ones are not written.
    lock.packages[free] = { version, cpu, dev, libc, license, optional: true, os, engines }
    added++
  }
}

const { "": project = {}, ...others } = lock.packages
const sorted = Object.entries(others).sort(([a], [b]) => a.localeCompare(b, "en"))
lock.packages = { "": project, ...Object.fromEntries(sorted) }
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`)
console.log(`package-lock.json: ${added} entries added`)
