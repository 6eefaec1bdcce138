import { room } from "../../room.ts"
import { mutedTopicsKind, mutedTopicsSection, userTopicKind, userTopicSection } from "./user-topic-event.ts"
import { userTopicEndpoints } from "./user-topics.ts"

export const userTopicsRoom = room({
  wing: "personal",
  name: "user-topics",
  about: "topics that a user mutes, unmutes or follows",
  endpoints: userTopicEndpoints,
  kinds: [mutedTopicsKind, userTopicKind],
  sections: [mutedTopicsSection, userTopicSection],
})
