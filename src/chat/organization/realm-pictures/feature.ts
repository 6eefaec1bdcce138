import { defineFeature } from "../../feature.ts"
import { findRealmPicture, iconPath, logoPath } from "./find-realm-picture.ts"
import { realmPictureEndpoints } from "./realm-pictures.ts"
import { realmPictureFiles } from "./realm-pictures-store.ts"

export const realmPicturesFeature = defineFeature({
  area: "organization",
  name: "realm-pictures",
  about: "the organization's icon and logos: uploading, removing and finding them",
  chapter: "organization",
  endpoints: realmPictureEndpoints,
  files: [realmPictureFiles],
  downloads: [iconPath, logoPath].map((prefix) => ({ prefix, find: findRealmPicture })),
})
