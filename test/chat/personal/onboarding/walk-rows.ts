/** What onboarding adds to the walks. */
import { walkRows } from "../../../kit/walk-rows.ts"
import { ofOneself } from "../../../walks/hidden/parts.ts"
import { text } from "../../../walks/worst-cases/values.ts"

export const rows = walkRows({
  hidden: { questions: () => ({ "POST /users/me/onboarding_steps": ofOneself }) },
  worstCases: { onboarding_step: text(100) },
  garbage: {
    fields: { "POST /users/me/onboarding_steps": { onboarding_step: "intro_resolve_topic" } },
  },
  client: { onboarding_steps: { key: "onboarding_steps", apply: (_known, event) => event["onboarding_steps"] } },
})
