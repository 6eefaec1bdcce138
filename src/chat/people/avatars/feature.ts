import { room } from "../../room.ts"
import { userAvatarKind } from "./avatar-kind.ts"
import { avatarEndpoints } from "./avatars.ts"
import { avatarFiles } from "./avatars-store.ts"
import { avatarPrefix, findAvatar } from "./find-avatar.ts"

export const avatarsRoom = room({
  wing: "people",
  name: "avatars",
  about:
    "the pictures of people: uploading and removing one's own, and finding that of somebody by their id or address",
  endpoints: avatarEndpoints,
  kinds: [userAvatarKind],
  files: [avatarFiles],
  downloads: [{ prefix: avatarPrefix, find: findAvatar }],
})
