import { room } from "../../room.ts"
import { channelFolderKind } from "./channel-folder-event.ts"
import {
  channelFoldersSection,
  getChannelFolders,
  patchChannelFolder,
  patchChannelFolders,
  postChannelFolders,
} from "./channel-folders.ts"
import { folders } from "./folders.ts"

export const channelFoldersRoom = room({
  wing: "channels",
  name: "channel-folders",
  about: "named groups of channels, in an order that administrators set",
  endpoints: [getChannelFolders, postChannelFolders, patchChannelFolders, patchChannelFolder],
  kinds: [channelFolderKind],
  sections: [channelFoldersSection],
  parts: [folders],
})
