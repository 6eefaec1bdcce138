/** The settings of several processes: each wrong one is one line that says what is expected. */
import * as Result from "effect/Result"
import t from "tap"
import { describeSettings, secretsIn } from "../../src/config/describe-settings.ts"
import { readCommand } from "../../src/config/read-settings.ts"

const production = {
  PARLEY_MODE: "production",
  PARLEY_SECRET: "f3a9c07be21d48a6b95c7e0d13f86a42",
  PARLEY_EXTERNAL_URL: "https://chat.example",
  DATABASE_URL: "postgres://parley@db.example/parley",
}
const many = { ...production, PARLEY_PROCESSES: "many" }

const settingsOf = (env: Readonly<Record<string, string>>) => {
  const command = readCommand(env, [])
  if (Result.isFailure(command)) return command.failure.message
  return command.success._tag === "Serve" ? command.success.settings : command.success._tag
}

t.test("what does not fit is refused in one line", async (t) => {
  for (const [env, message] of [
    [{ ...production, PARLEY_PROCESSES: "three" }, /^PARLEY_PROCESSES is "three": expected one or many$/],
    [
      { ...many, DATABASE_URL: "" },
      /^PARLEY_PROCESSES=many needs DATABASE_URL: the embedded database has one process$/,
    ],
    [{ ...many, PARLEY_MODE: "development" }, /^PARLEY_PROCESSES=many needs PARLEY_MODE=production: the demo/],
    [{ ...many, PARLEY_BUS: "redis://r" }, /^PARLEY_BUS is "redis:\/\/r": expected none or notify$/],
    [{ ...many, PARLEY_BUS: "nats://n" }, /^PARLEY_BUS=nats:\/\/\.\.\. is not built yet: expected none or notify$/],
    [{ ...many, PARLEY_BUS_URL: "http://db:secret@x" }, /^PARLEY_BUS_URL is not usable: expected a URL like postgres:/],
    [
      { ...production, PARLEY_BUS: "notify" },
      /^PARLEY_BUS is for PARLEY_PROCESSES=many: one process has nobody to tell$/,
    ],
    [{ ...production, PARLEY_BUS_URL: many.DATABASE_URL }, /^PARLEY_BUS_URL is for PARLEY_PROCESSES=many/],
  ] as const)
    t.match(settingsOf(env), message)
})

t.test("what fits is taken, and no password is shown", async (t) => {
  t.match(settingsOf(production), { processes: null })
  t.match(settingsOf(many), { processes: { bus: "notify", busUrl: null } })
  t.match(settingsOf({ ...many, PARLEY_BUS: "none" }), { processes: { bus: "none" } })
  const settings = settingsOf({ ...many, PARLEY_BUS_URL: "postgres://parley:hunter2@db.example:5433/parley" })
  if (typeof settings === "string") return t.fail(settings)
  t.equal(settings.processes?.busUrl, "postgres://parley:hunter2@db.example:5433/parley")
  t.notMatch(describeSettings(settings), /hunter2/)
  t.ok(secretsIn(settings).includes("hunter2"))
})
