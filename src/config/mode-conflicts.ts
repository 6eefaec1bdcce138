/** What production and development mode need of the other settings. Called by read-settings.ts. */
import { isLoopback } from "../loopback.ts"
import type { ConfigShape } from "./config.ts"
import { expectedSecret, findWeakness } from "./secret-strength.ts"
import { settings } from "./settings.ts"

type ModeSettings = Pick<ConfigShape, "mode" | "externalUrl" | "host" | "developmentOpenToEverybody"> & {
  readonly secret: string | null
}

const missing = (env: string, expected: string): string => `${env} is needed in production: expected ${expected}`

const findProductionConflict = ({ secret, externalUrl }: ModeSettings): string | undefined => {
  if (secret === null) return missing(settings.secret.env, expectedSecret)
  const weakness = findWeakness(secret)
  if (weakness !== undefined) return `${settings.secret.env} ${weakness}: expected ${expectedSecret}`
  return externalUrl === null ? missing(settings.externalUrl.env, settings.externalUrl.expected) : undefined
}

/** In development mode everybody gets the owner's key for the asking. */
const findDevelopmentConflict = ({ host, developmentOpenToEverybody }: ModeSettings): string | undefined =>
  developmentOpenToEverybody || isLoopback(host)
    ? undefined
    : `${settings.host.env} is ${JSON.stringify(host)}, but development mode gives everybody the owner's key and listens on loopback addresses only: set ${settings.mode.env}=production, or ${settings.developmentOpenToEverybody.env}=true if whoever can reach this address may do everything`

/** Undefined: nothing is wrong. */
export const findModeConflict = (asked: ModeSettings): string | undefined =>
  asked.mode === "production" ? findProductionConflict(asked) : findDevelopmentConflict(asked)
