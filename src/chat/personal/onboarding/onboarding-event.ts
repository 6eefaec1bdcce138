/**
 * What a user has been told of, as rows, and what is left, as events and as a section of register. Only the database holds it.
 * What there is to tell stands here, so who has been told all hears of what a later program adds.
 */
import * as Schema from "effect/Schema"
import { toUsers } from "../../../events/audience.ts"
import type { UserId } from "../../../ids.ts"
import { eventKind } from "../../ground/kinds/event-kind.ts"
import { oneEvent } from "../../ground/kinds/event-kind-helpers.ts"
import type { ReadSection } from "../../ground/kinds/section.ts"
import { plainEvent } from "../../ground/wire/wire-values.ts"

const type = "onboarding_steps"

/** By the names under which clients know them, in the order in which they are listed. */
export const onboardingSteps: ReadonlyArray<string> = [
  "visibility_policy_banner",
  "intro_inbox_view_modal",
  "intro_recent_view_modal",
  "first_stream_created_banner",
  "jump_to_conversation_banner",
  "non_interleaved_view_messages_fading",
  "interleaved_view_messages_fading",
  "intro_resolve_topic",
]

/** `version`: the position of the newest row about it; 0 before the first. */
const SeenSteps = Schema.Struct({ done: Schema.Array(Schema.String), version: Schema.Number })
export type SeenSteps = typeof SeenSteps.Type
export const readSeenSteps = Schema.decodeUnknownSync(SeenSteps)

const Steps = Schema.Array(
  Schema.Struct({ type: Schema.Literal("one_time_notice"), name: Schema.Literals(onboardingSteps) }),
)

const leftAfter = (done: ReadonlyArray<string>) =>
  onboardingSteps.filter((name) => !done.includes(name)).map((name) => ({ type: "one_time_notice", name }))

/** A row has all that the user has been told of, and is refused with "overtaken" where it was made from an older list. */
export const onboardingKind = eventKind({
  type,
  payload: Schema.Struct({ done: Schema.Array(Schema.String) }),
  changesRules: false,
  applyFunction: "apply_onboarding_v1",
  sections: [type],
  events: { "": plainEvent(type, { [type]: Steps }) },
  wire: ({ done }) => oneEvent({ type, [type]: leftAfter(done) }),
})

export const onboardingRow = (user: UserId, { done, version }: SeenSteps, name: string) =>
  onboardingKind.change({ done: [...done, name] }, toUsers([user]), { sideData: { user_id: user, based_on: version } })

/** There is no video that shows the navigation. */
const noVideo = { navigation_tour_video_url: null }

export const onboardingSection: ReadSection = {
  name: type,
  keys: { onboarding_steps: Steps, navigation_tour_video_url: Schema.NullOr(Schema.String) },
  stored: "section_onboarding_v1",
  read: (stored) => ({ onboarding_steps: leftAfter(readSeenSteps(stored).done), ...noVideo }),
  visitor: { onboarding_steps: [], ...noVideo },
}
