import { room } from "../../room.ts"
import { signUpPage } from "./make-page.ts"
import { forgetSignUpsJob } from "./sign-up-store.ts"
import { SignUpThrottle } from "./sign-up-throttle.ts"

export const signUpRoom = room({
  wing: "server",
  name: "sign-up",
  about: "the pages on which people make an organization of their own, where the operator lets them",
  jobs: [forgetSignUpsJob],
  layer: SignUpThrottle.layer,
  webPages: [signUpPage],
})
