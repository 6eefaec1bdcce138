/**
 * GET /realm/icon and /realm/logo: where the organization's pictures are now. Anybody may ask: server_settings shows the
 * icon to clients before their user signs in. Served by http/downloads/serve-downloads.ts, because what is there is no JSON.
 */
import * as Effect from "effect/Effect"
import type { DownloadRedirect } from "../../../api/downloads.ts"
import type { Caller, Visitor } from "../../../api/endpoint.ts"
import { iconOf, logoOf } from "../../ground/faces/face-urls.ts"
import { Realms } from "../../ground/realm/realms.ts"

export const iconPath = "/api/v1/realm/icon"
export const logoPath = "/api/v1/realm/logo"

const ofNight = /(?:^|&)night=true(?:&|$)/

export const findRealmPicture = Effect.fnUntraced(function* (who: Caller | Visitor, path: string, query: string) {
  if (who.realm === null || (path !== iconPath && path !== logoPath)) return null
  const { realm } = yield* (yield* Realms).get(who.realm)
  const { icon, logo, night_logo } = realm.settings
  const location =
    path === iconPath ? iconOf(realm, icon).icon_url : logoOf(realm, ofNight.test(query) ? night_logo : logo).url
  return { location } satisfies DownloadRedirect
})
