/**
 * The ways to sign in with a name and a password: those that the server has and the organization allows. What this says
 * holds for fetch_api_key, and is what clients are told before they sign in (GET /server_settings) and after (register).
 */
import type { ConfigShape } from "../../../config/config.ts"
import type { RealmSettings } from "../realm/realm-settings.ts"

export type SignInSettings = Pick<RealmSettings, "password_auth_enabled" | "ldap_auth_enabled">
type ServerSignIn = Pick<ConfigShape, "directory">

/** Whether the server's directory is asked. */
export const mayAskDirectory = ({ ldap_auth_enabled }: SignInSettings, { directory }: ServerSignIn): boolean =>
  directory !== null && ldap_auth_enabled

/** Whether there is a way at all. */
export const mayUsePasswords = (settings: SignInSettings, config: ServerSignIn): boolean =>
  settings.password_auth_enabled || mayAskDirectory(settings, config)

/** Whether a name that is no address can be nobody's. Accounts have addresses; a directory may know people by others. */
export const mustBeAddress = (settings: SignInSettings, config: ServerSignIn): boolean =>
  !mayAskDirectory(settings, config) || config.directory?.namesAreAddresses === true
