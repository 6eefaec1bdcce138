import { defineFeature } from "../../feature.ts"
import { mutedTopicsKind, mutedTopicsSection, userTopicKind, userTopicSection } from "./user-topic-event.ts"
import { userTopicEndpoints } from "./user-topics.ts"

export const userTopicsFeature = defineFeature({
  area: "personal",
  name: "user-topics",
  about: "topics that a user mutes, unmutes or follows",
  chapter: "personal",
  endpoints: userTopicEndpoints,
  kinds: [mutedTopicsKind, userTopicKind],
  sections: [mutedTopicsSection, userTopicSection],
})
