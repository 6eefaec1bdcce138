import { defineFeature } from "../../feature.ts"
import { deleteStream, returning } from "./channel-archive.ts"
import { streamKind } from "./channel-event.ts"
import { getStream, getStreamEmailAddress, getStreamMembers, getSubscriptionStatus } from "./channel-read.ts"
import { defaultStreamGroupsSection, defaultStreamsSection, streamSection } from "./channel-sections.ts"
import { trafficJob } from "./channel-traffic.ts"
import { patchStream } from "./channel-update.ts"
import { getStreamId, getStreams } from "./channels.ts"
import {
  deleteDefaultStreamGroup,
  patchDefaultStreamGroup,
  patchDefaultStreamGroupStreams,
  postDefaultStreamGroups,
} from "./default-channel-groups.ts"
import { deleteDefaultStreams, postDefaultStreams } from "./default-channels.ts"
import { defaultStreamGroupsKind, defaultStreamsKind } from "./default-channels-event.ts"
import { defaultGroups } from "./default-groups.ts"

export const channelsFeature = defineFeature({
  area: "channels",
  name: "channels",
  about: "changing, archiving; default channels and their groups, traffic; `topics-policy-machine`",
  chapter: "channels",
  endpoints: [
    getStreams,
    getStreamId,
    getStream,
    getStreamMembers,
    getSubscriptionStatus,
    getStreamEmailAddress,
    postDefaultStreams,
    deleteDefaultStreams,
    postDefaultStreamGroups,
    patchDefaultStreamGroup,
    deleteDefaultStreamGroup,
    patchDefaultStreamGroupStreams,
    patchStream,
    deleteStream,
  ],
  kinds: [streamKind, defaultStreamsKind, defaultStreamGroupsKind],
  sections: [defaultStreamsSection, defaultStreamGroupsSection, streamSection],
  bulk: [returning],
  projectionParts: [defaultGroups],
  jobs: [trafficJob],
})
