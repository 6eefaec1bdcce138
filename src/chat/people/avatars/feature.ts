import { defineFeature } from "../../feature.ts"
import { userAvatarKind } from "./avatar-kind.ts"
import { avatarEndpoints } from "./avatars.ts"
import { avatarFiles } from "./avatars-store.ts"
import { avatarPrefix, findAvatar } from "./find-avatar.ts"

export const avatarsFeature = defineFeature({
  area: "people",
  name: "avatars",
  about:
    "the pictures of people: uploading and removing one's own, and finding that of somebody by their id or address",
  chapter: "users",
  endpoints: avatarEndpoints,
  kinds: [userAvatarKind],
  files: [avatarFiles],
  downloads: [{ prefix: avatarPrefix, find: findAvatar }],
})
