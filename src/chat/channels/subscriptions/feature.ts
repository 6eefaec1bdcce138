import { room } from "../../room.ts"
import { createChannel } from "./channel-create.ts"
import { patchSubscriptions } from "./join-and-leave.ts"
import { postSubscriptions } from "./subscribe.ts"
import { subscriptionWorks } from "./subscription-chunks.ts"
import { subscriptionKind } from "./subscription-event.ts"
import { patchSubscription, postSubscriptionProperties } from "./subscription-properties.ts"
import { subscriptionSection } from "./subscription-section.ts"
import { deleteSubscriptions, getSubscriptions } from "./subscriptions.ts"

export const subscriptionsRoom = room({
  wing: "channels",
  name: "subscriptions",
  about:
    "subscribing, leaving, making channels with their first subscribers, a user's own settings for a channel; `subscription-steps` makes the rows",
  endpoints: [
    getSubscriptions,
    postSubscriptions,
    deleteSubscriptions,
    patchSubscriptions,
    postSubscriptionProperties,
    patchSubscription,
    createChannel,
  ],
  kinds: [subscriptionKind],
  sections: [subscriptionSection],
  bulk: subscriptionWorks,
})
