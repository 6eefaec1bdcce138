/**
 * Loads the build of uWebSockets.js that belongs to this Node (platform.ts chooses it); nothing else imports the package.
 * No build is tried to see whether it loads: npm hoists the platform packages of both, and the newer one, tried on an older
 * Node, loads over the older one's binary. Called by uws.ts.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import { chooseNetworkBuild, type NetworkBuild, type Platform, thisPlatform } from "./platform.ts"

export type * as Native from "uWebSockets.js"
export type UwsModule = typeof import("uWebSockets.js")

/** Both builds take all four arguments (seen to work in the older); only the newer one's types say so. */
declare module "uWebSockets.js" {
  interface TemplatedApp {
    listen(
      host: RecognizedString,
      port: number,
      options: ListenOptions,
      done: (socket: us_listen_socket | false) => void,
    ): TemplatedApp
  }
}

/** There is no network layer for this Node, C library or processor. */
export class PlatformUnsupported extends Data.TaggedError("PlatformUnsupported")<{ readonly message: string }> {}

/**
 * Bytes of a request's line and headers together. The package's own default of 4096 is less than a client needs that
 * sends a message's content in the query string. Twice what the server takes (request-headers.ts), so that it can say so
 * itself: beyond this, and beyond some 96 headers, the binary answers 431 with a page of its own. The binary reads it
 * once, when it is loaded.
 */
const headerBytes = 128 * 1024

const require = createRequire(import.meta.url)

/** By `require`: where the binary is missing, `import` leaves an unhandled rejection behind as well (Node 20). */
const open = (build: NetworkBuild): UwsModule => {
  process.env["UWS_HTTP_MAX_HEADERS_SIZE"] ??= String(headerBytes)
  return require(build)
}

/** Packages with a binary each, for one system and one version of Node: `@uwsjs/linux-x64-22`. */
const scope = "@uwsjs"

/** Whether there is such a package for this process at all. */
const isOffered = (build: NetworkBuild, name: string): boolean => {
  const manifest = join(dirname(require.resolve(build)), "package.json")
  const found: unknown = JSON.parse(readFileSync(manifest, "utf8"))
  return Predicate.hasProperty(found, "optionalDependencies") && Predicate.hasProperty(found.optionalDependencies, name)
}

/** Those that are installed, as people say them: `Node 20 on linux-x64`. */
const installedFor = (): ReadonlyArray<string> => {
  const folder = require.resolve
    .paths(scope)
    ?.map((path) => join(path, scope))
    .find((path) => existsSync(path))
  const names = folder === undefined ? [] : readdirSync(folder)
  return names
    .map((name) => /^(.+)-(\d+)$/.exec(name))
    .flatMap((parts) => (parts === null ? [] : `Node ${parts[2]} on ${parts[1]}`))
}

/** The reason behind the packages' own headline, which names versions of Node that have no part in it. */
const reasonOf = (fault: unknown): string => {
  const lines = String(fault instanceof Error ? fault.message : fault)
    .split("\n")
    .filter((line) => line !== "")
  return lines[1] ?? lines[0] ?? ""
}

const explain = ({ node, os, processor }: Platform, build: NetworkBuild, fault: unknown): string => {
  const system = `${os}-${processor}`
  const name = `${scope}/${system}-${Number.parseInt(node, 10)}`
  const reason = reasonOf(fault)
  // A binary that is there and does not load is named by its path.
  if (!reason.includes(`Cannot find module '${name}'`) || !isOffered(build, name))
    return `No network layer for Node ${node} on ${system}: ${reason}`
  const others = installedFor()
  const made = others.length === 0 ? "without its optional packages" : `for ${others.join(" and ")}`
  return `The packages were installed ${made}, and this is Node ${node} on ${system}: run npm install again, which mends it`
}

/** As loadUws, on a platform that is taken to be this one. */
export const loadUwsOn = (platform: Platform): Effect.Effect<UwsModule, PlatformUnsupported> => {
  const build = chooseNetworkBuild(platform)
  if (Result.isFailure(build)) return Effect.fail(new PlatformUnsupported({ message: build.failure }))
  return Effect.try({
    try: () => open(build.success),
    catch: (fault) => new PlatformUnsupported({ message: explain(platform, build.success, fault) }),
  })
}

export const loadUws: Effect.Effect<UwsModule, PlatformUnsupported> = Effect.suspend(() => loadUwsOn(thisPlatform()))
