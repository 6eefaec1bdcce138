/** What a password's hash costs where no test makes it cheap. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import t from "tap"
import { Passwords } from "../../../src/chat/sign-in/passwords.ts"
import { Config } from "../../../src/config.ts"
import { config } from "../../kit/hand-made-realm.ts"

t.test("a password is hashed by scrypt with N = 32768, r = 8, p = 1, which the hash names", async (t) => {
  const layer = Passwords.layer.pipe(Layer.provide(Layer.succeed(Config, config)))
  const hash = await Effect.runPromise(
    Effect.flatMap(Passwords, (passwords) => passwords.hash("a password")).pipe(Effect.provide(layer)),
  )
  t.match(hash, /^scrypt\$32768\$8\$1\$/)
})
