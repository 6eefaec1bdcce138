import { defineFeature } from "../../feature.ts"
import { postOnboardingStep } from "./onboarding.ts"
import { onboardingKind, onboardingSection } from "./onboarding-event.ts"

export const onboardingFeature = defineFeature({
  area: "personal",
  name: "onboarding",
  about: "what clients tell a user once only",
  chapter: "personal",
  endpoints: [postOnboardingStep],
  kinds: [onboardingKind],
  sections: [onboardingSection],
})
