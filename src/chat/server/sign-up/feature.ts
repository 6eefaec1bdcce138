import { defineFeature } from "../../feature.ts"
import { signUpPage } from "./sign-up-confirm-page.ts"
import { forgetSignUpsJob } from "./sign-up-store.ts"
import { SignUpThrottle } from "./sign-up-throttle.ts"

export const signUpFeature = defineFeature({
  area: "server",
  name: "sign-up",
  about: "the pages on which people make an organization of their own, where the operator lets them",
  jobs: [forgetSignUpsJob],
  layer: SignUpThrottle.layer,
  webPages: [signUpPage],
})
