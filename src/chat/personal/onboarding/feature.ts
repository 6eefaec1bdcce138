import { room } from "../../room.ts"
import { postOnboardingStep } from "./onboarding.ts"
import { onboardingKind, onboardingSection } from "./onboarding-event.ts"

export const onboardingRoom = room({
  wing: "personal",
  name: "onboarding",
  about: "what clients tell a user once only",
  endpoints: [postOnboardingStep],
  kinds: [onboardingKind],
  sections: [onboardingSection],
})
