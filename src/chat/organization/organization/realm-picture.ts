/** The pictures of the organization, each a setting with the name that its events have, and their fields on the wire. */
import type { JsonObject } from "../../../json.ts"
import { type FaceRealm, iconOf, logoOf } from "../../ground/faces/face-urls.ts"

/** The logo of light themes and that of dark ones. */
const realmLogos = ["logo", "night_logo"] as const
export const realmPictures = ["icon", ...realmLogos] as const
export type RealmPicture = (typeof realmPictures)[number]

/** By their names in events; register has them with `realm_` before. `token`: the value of the setting. */
export const realmPicture = (realm: FaceRealm, name: RealmPicture, token: string): JsonObject => {
  if (name === "icon") return iconOf(realm, token)
  const { source, url } = logoOf(realm, token)
  return { [`${name}_url`]: url, [`${name}_source`]: source }
}
