import { defineFeature } from "../../feature.ts"
import { createChannel } from "./channel-create.ts"
import { patchSubscriptions } from "./join-and-leave.ts"
import { postSubscriptions } from "./subscribe.ts"
import { subscriptionBulkKinds } from "./subscription-chunks.ts"
import { subscriptionKind } from "./subscription-event.ts"
import { patchSubscription, postSubscriptionProperties } from "./subscription-properties.ts"
import { subscriptionSection } from "./subscription-section.ts"
import { deleteSubscriptions, getSubscriptions, getUserChannels } from "./subscriptions.ts"

export const subscriptionsFeature = defineFeature({
  area: "channels",
  name: "subscriptions",
  about:
    "subscribing, leaving, making channels with their first subscribers, a user's own settings for a channel; `subscription-steps` makes the rows",
  chapter: "subscriptions",
  endpoints: [
    getSubscriptions,
    getUserChannels,
    postSubscriptions,
    deleteSubscriptions,
    patchSubscriptions,
    postSubscriptionProperties,
    patchSubscription,
    createChannel,
  ],
  kinds: [subscriptionKind],
  sections: [subscriptionSection],
  bulk: subscriptionBulkKinds,
})
