/** POST /users/me/onboarding_steps: the requester has been told of something, and no client need tell them again. */
import * as Effect from "effect/Effect"
import { data, nothing, userEndpoint } from "../../../api/endpoint.ts"
import { badRequest } from "../../../api/errors.ts"
import { text } from "../../../api/params.ts"
import { change, done, type Judgement } from "../../../events/command.ts"
import { type Overtaken, overtaken } from "../../../overtaken.ts"
import { findStored } from "../../ground/kinds/section-store.ts"
import { submitWithRecord } from "../../ground/requester/submit.ts"
import { onboardingRow, onboardingSection, onboardingSteps, readTold } from "./onboarding-event.ts"

export const postOnboardingStep = userEndpoint({
  method: "POST",
  path: "/users/me/onboarding_steps",
  summary: "Says that the requester has been told of something that clients tell once.",
  params: { step: text("onboarding_step", { max: 100 }) },
  reply: nothing,
  errors: [],
  run: Effect.fnUntraced(function* (caller, { step }) {
    if (!onboardingSteps.includes(step)) return yield* badRequest(`Unknown onboarding_step: ${step}`)
    const read = Effect.map(findStored(onboardingSection, caller.realm, caller.user), readTold)
    yield* submitWithRecord(caller, read, (told, _realm, actor): Judgement<undefined | Overtaken> => {
      if (told.done.includes(step)) return done(undefined)
      return change<undefined | Overtaken>([onboardingRow(actor.id, told, step)], {
        answer: () => undefined,
        refused: { overtaken: done(overtaken) },
      })
    })
    return data()
  }),
})
