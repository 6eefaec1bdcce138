/**
 * The secret of a development server: made once with 256 random bits and kept in the data folder, readable by its
 * owner only. It is whole or absent, and of two servers that make it at once both get the same. Called by main.ts.
 */
import { randomBytes } from "node:crypto"
import { closeSync, existsSync, fsyncSync, linkSync, openSync, readFileSync, rmSync, writeSync } from "node:fs"
import { join } from "node:path"
import * as Result from "effect/Result"
import type { ConfigShape } from "./config.ts"
import { ConfigError } from "./parse-arguments.ts"
import type { OperatorSettings } from "./read-settings.ts"

/**
 * The configuration to serve with. Where no secret was given and none is kept yet, one is made in the data folder,
 * which exists. Fails with a ConfigError where the secret cannot be read or kept.
 */
export const requireSecret = (settings: OperatorSettings): Result.Result<ConfigShape, ConfigError> =>
  withSecret(settings, (file) => {
    if (!existsSync(file)) keepNewSecret(file)
    return readSecret(file)
  })

/** The secret that is given or kept; null where `requireSecret` would make one. */
export const findSecret = (settings: OperatorSettings): Result.Result<string | null, ConfigError> =>
  Result.map(
    withSecret(settings, (file) => (existsSync(file) ? readSecret(file) : "")),
    ({ secret }) => (secret === "" ? null : secret),
  )

/** Fails as `requireSecret` would on a kept secret that is unusable; makes nothing. */
export const checkKeptSecret = (settings: OperatorSettings): Result.Result<void, ConfigError> =>
  Result.map(findSecret(settings), () => undefined)

const withSecret = (
  settings: OperatorSettings,
  find: (file: string) => string,
): Result.Result<ConfigShape, ConfigError> => {
  if (settings.secret !== null) return Result.succeed({ ...settings, secret: settings.secret })
  const file = join(settings.dataFolder, "secret")
  return Result.try({
    try: () => ({ ...settings, secret: find(file) }),
    catch: (error) =>
      new ConfigError({
        message: `the secret in ${file} is not usable: ${error instanceof Error ? error.message : error}`,
      }),
  })
}

const readSecret = (file: string): string => {
  const secret = readFileSync(file, "utf8").trim()
  if (secret.length < 32) throw new Error("it is shorter than 32 characters; removing it changes every API key")
  return secret
}

/**
 * A link never replaces a file that is there already, and what it names is complete. The folder is synced by the
 * database in it (db/disk/durability.ts).
 */
const keepNewSecret = (file: string): void => {
  const draft = `${file}.${randomBytes(6).toString("hex")}`
  const handle = openSync(draft, "wx", 0o600)
  try {
    writeSync(handle, `${randomBytes(32).toString("base64url")}\n`)
    fsyncSync(handle)
    linkSync(draft, file)
  } catch (error) {
    if (!existsSync(file)) throw error
  } finally {
    closeSync(handle)
    rmSync(draft)
  }
}
