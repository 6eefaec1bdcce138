import { defineFeature } from "../../feature.ts"
import { channelFolderKind } from "./channel-folder-event.ts"
import {
  channelFoldersSection,
  getChannelFolders,
  patchChannelFolder,
  patchChannelFolders,
  postChannelFolders,
} from "./channel-folders.ts"
import { folders } from "./folder-list.ts"

export const channelFoldersFeature = defineFeature({
  area: "channels",
  name: "channel-folders",
  about: "named groups of channels, in an order that administrators set",
  chapter: "channels",
  endpoints: [getChannelFolders, postChannelFolders, patchChannelFolders, patchChannelFolder],
  kinds: [channelFolderKind],
  sections: [channelFoldersSection],
  projectionParts: [folders],
})
