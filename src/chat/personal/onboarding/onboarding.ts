/** POST /users/me/onboarding_steps: the requester has been told of something, and no client need tell them again. */
import * as Effect from "effect/Effect"
import { dataReply, noFields, userEndpoint } from "../../../api/endpoint.ts"
import { badRequest } from "../../../api/errors.ts"
import { keyword } from "../../../api/params.ts"
import { type Conflict, conflict } from "../../../conflict.ts"
import { change, done, type Judgement } from "../../../events/command.ts"
import { findStored } from "../../ground/kinds/section-store.ts"
import { submitWithRecord } from "../../ground/requester/submit.ts"
import { onboardingRow, onboardingSection, onboardingSteps, readSeenSteps } from "./onboarding-event.ts"

export const postOnboardingStep = userEndpoint({
  method: "POST",
  path: "/users/me/onboarding_steps",
  fresh: "onRefusal",
  summary: "Says that the requester has been told of something that clients tell once.",
  params: { step: keyword("onboarding_step", { max: 100 }) },
  reply: noFields,
  errors: [],
  run: Effect.fnUntraced(function* (caller, { params: { step } }) {
    if (!onboardingSteps.includes(step)) return yield* badRequest(`Unknown onboarding_step: ${step}`)
    const read = Effect.map(findStored(onboardingSection, caller.realm, caller.user), readSeenSteps)
    yield* submitWithRecord(caller, read, (told, _realm, actor): Judgement<undefined | Conflict> => {
      if (told.done.includes(step)) return done(undefined)
      return change<undefined | Conflict>([onboardingRow(actor.id, told, step)], {
        answer: () => undefined,
        refused: { overtaken: done(conflict) },
      })
    })
    return dataReply()
  }),
})
