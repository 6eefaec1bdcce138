/**
 * Peers are no dependencies of the project: they lie in a folder below the user's cache, in which they are looked for, and
 * into which they are installed without running any script of theirs.
 */
import { spawnSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import * as Schema from "effect/Schema"
import type { Peer } from "./peers.ts"
import { cacheFolder, keepPrivate } from "./private-folder.ts"

export const peerFolder = join(cacheFolder(process.env), "parley-peers")
const natsPackage = "nats-server"

const Manifest = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Struct({ version: Schema.String })))

const versionOf = (name: string): string | null => {
  const file = join(peerFolder, "node_modules", name, "package.json")
  return existsSync(file) ? Manifest(readFileSync(file, "utf8")).version : null
}

const isThere = ({ packages }: Peer): boolean =>
  Object.entries(packages).every(([name, version]) => versionOf(name) === version)

const run = (command: string, args: ReadonlyArray<string>): string | null => {
  const { status, error, stderr } = spawnSync(command, args, { cwd: peerFolder, encoding: "utf8", timeout: 120_000 })
  return status === 0 ? null : (error?.message ?? stderr.trim().split("\n").at(-1) ?? "it failed")
}

/** The program of NATS: that of the system, or one that was unpacked here. */
export const findNats = (): string | null => {
  const places = [...(process.env["PATH"] ?? "").split(":"), "/usr/sbin", join(peerFolder, "usr", "sbin")]
  return places.map((place) => join(place, natsPackage)).find((file) => existsSync(file)) ?? null
}

/** As its rows are called: with the version that runs. */
export const labelOf = ({ name, packages }: Peer): string => {
  const program = name === "nats" ? findNats() : null
  const told = program === null ? "" : spawnSync(program, ["--version"], { encoding: "utf8" }).stdout
  const version = packages[name] ?? /v([\d.]+)/.exec(told)?.[1] ?? ""
  return `${name} ${version}`.trim()
}

/** Debian's package is unpacked, not installed: nothing of the system changes. */
const unpackNats = (): string | null => {
  const fault = run("apt-get", ["download", natsPackage])
  if (fault !== null) return fault
  const file = readdirSync(peerFolder).find((name) => name.startsWith(`${natsPackage}_`)) ?? ""
  return run("dpkg", ["-x", file, "."])
}

/** Null where the peer can be started; else why not. */
export const install = (peer: Peer): string | null => {
  const fault = keepPrivate(peerFolder)
  if (fault !== null) return fault
  if (peer.name === "nats") return findNats() === null ? unpackNats() : null
  if (isThere(peer)) return null
  const wanted = Object.entries(peer.packages).map(([name, version]) => `${name}@${version}`)
  const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--save-exact"]
  return run("npm", ["install", "--prefix", peerFolder, ...flags, ...wanted])
}
