/** What people who make organizations by themselves need of the other settings. Called by read-settings.ts. */
import type { ConfigShape } from "./config.ts"
import { settings } from "./settings.ts"

/** Undefined: nothing is wrong. Whoever makes one confirms an address, and the demo organization is served alone. */
export const findSignUpConflict = ({
  mode,
  mail,
  signUpDomain,
}: Pick<ConfigShape, "mode" | "mail" | "signUpDomain">): string | undefined => {
  if (signUpDomain === null) return undefined
  const { env } = settings.signUpDomain
  if (mode === "development")
    return `${env} needs ${settings.mode.env}=production: development mode serves its demo alone`
  return mail === null ? `${env} needs ${settings.smtpHost.env}` : undefined
}
