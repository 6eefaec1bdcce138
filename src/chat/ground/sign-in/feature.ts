import * as Layer from "effect/Layer"
import { defineFeature } from "../../feature.ts"
import { apiKeyKind, regenerateApiKey } from "./api-key.ts"
import { getDevUsers } from "./dev-users.ts"
import { devFetchApiKey, fetchApiKey } from "./fetch-key.ts"
import { Passwords } from "./passwords.ts"
import { SignInThrottle } from "./sign-in-throttle.ts"

export const signInFeature = defineFeature({
  area: "ground",
  name: "sign-in",
  about: "API keys, passwords, finding the account of a key",
  chapter: "sign-in",
  endpoints: [fetchApiKey, devFetchApiKey, getDevUsers, regenerateApiKey],
  kinds: [apiKeyKind],
  layer: Layer.mergeAll(SignInThrottle.layer, Passwords.layer),
})
