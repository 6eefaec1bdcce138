/** Hashes of passwords: their cost where no test makes it cheap, which are weak, and how many are made at once. */
import { randomBytes, scryptSync } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { getPriority } from "node:os"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Result from "effect/Result"
import t, { type Test } from "tap"
import { makeHasher } from "../../../../src/chat/ground/sign-in/hasher.ts"
import { makePasswords, Passwords } from "../../../../src/chat/ground/sign-in/passwords.ts"
import { Config, type ConfigShape } from "../../../../src/config/config.ts"
import { type LimitName, Refusals } from "../../../../src/fairness/refusals.ts"
import { config } from "../../../kit/hand-made-realm.ts"
import { until } from "../../../kit/test-database.ts"

const make = async (t: Test, changed: Partial<ConfigShape> = {}) => {
  const refused: Array<LimitName> = []
  const refusals = { note: (limit: LimitName) => void refused.push(limit), counts: () => new Map() }
  const needs = Layer.merge(Layer.succeed(Config, { ...config, ...changed }), Layer.succeed(Refusals, refusals))
  const runtime = ManagedRuntime.make(Passwords.layer.pipe(Layer.provide(needs)))
  t.teardown(() => runtime.dispose())
  return { refused, passwords: await runtime.runPromise(Effect.map(Passwords, (each) => each)) }
}

/** As the program has written it, whatever the parameters. */
const hashOf = (password: string, n: number, r: number, p: number): string => {
  const salt = randomBytes(16)
  const key = scryptSync(password, salt, 32, { N: n, r, p, maxmem: 256 * n * r })
  return ["scrypt", n, r, p, salt.toString("base64url"), key.toString("base64url")].join("$")
}

t.test("a password is hashed by scrypt with N = 32768, r = 8, p = 3, which the hash names", async (t) => {
  const { passwords } = await make(t)
  const hash = await Effect.runPromise(passwords.hash("a password"))
  t.match(hash, /^scrypt\$32768\$8\$3\$/)
  t.equal(passwords.isWeak(hash), false)
  t.equal(passwords.isWeak(hash.replace("$8$3$", "$8$1$")), true, "as it was made before")
})

t.test("hashes of other parameters are known; those that are cheaper to guess are weak", async (t) => {
  const { passwords } = await make(t, { passwordCost: 16 })
  const cases: ReadonlyArray<readonly [n: number, r: number, p: number, isWeak: boolean]> = [
    [16, 8, 3, false],
    [16, 8, 1, true],
    [8, 8, 6, true],
    [8, 4, 1, true],
    [32, 8, 2, false],
    [32, 8, 1, true],
  ]
  for (const [n, r, p, isWeak] of cases) {
    const hash = hashOf("right", n, r, p)
    t.equal(passwords.isWeak(hash), isWeak, `${n} ${r} ${p}`)
    t.equal(await Effect.runPromise(passwords.matches("right", hash)), true)
    t.equal(await Effect.runPromise(passwords.matches("wrong", hash)), false)
  }
  t.equal(await Effect.runPromise(passwords.matches("right", null)), false)
})

t.test("32 passwords are hashed or wait, further ones are refused at once and counted", async (t) => {
  const { passwords, refused } = await make(t, { passwordCost: 16 })
  const flood = Array.from({ length: 100 }, () => Effect.runPromise(Effect.result(passwords.matches("x", null))))
  const told = await Promise.all(flood)
  t.equal(told.filter(Result.isSuccess).length, 32)
  t.same(refused, Array<string>(68).fill("passwords at once"))
  t.equal(await Effect.runPromise(passwords.matches("x", null)), false, "there is room again")
})

t.test("while others wait, a check is followed by a rest as long as itself", async (t) => {
  const rests: Array<{ readonly milliseconds: number; readonly end: () => void }> = []
  let heard = () => {}
  const untilRests = async (count: number) => {
    while (rests.length < count)
      await new Promise<void>((resolve) => {
        heard = resolve
      })
  }
  const refusals = { note: () => {}, counts: () => new Map() }
  const passwords = makePasswords(16, refusals, makeHasher(), (milliseconds, end) => {
    rests.push({ milliseconds, end })
    heard()
  })
  const checks = Array.from({ length: 6 }, () => Effect.runPromise(passwords.matches("x", null)))
  await untilRests(1)
  // While this is done others would have been checked, and would rest too.
  const others = makePasswords(16, refusals, makeHasher())
  for (let n = 0; n < 6; n++) await Effect.runPromise(others.matches("x", null))
  t.ok(rests.length <= 2, `${rests.length} have been checked: those that were under way together`)
  for (let n = 0; n < checks.length; n++) {
    await untilRests(n + 1)
    rests[n]?.end()
  }
  t.same(await Promise.all(checks), Array(6).fill(false))
  t.same(
    rests.map(({ milliseconds }) => milliseconds > 0),
    [true, true, true, true, true, false],
    "after the last one nobody waits",
  )
})

/** On Linux each thread has a priority of its own; elsewhere there is only the process's, which must stay as it is. */
const hasPriorities = process.platform === "linux"

/** Threads of this process that give way to the others: of `stat`, where the second field may contain spaces, the 19th. */
const gentleThreads = (): ReadonlyArray<string> => {
  if (!hasPriorities) return []
  const niceness = (thread: string): number | null => {
    try {
      const fields = readFileSync(`/proc/self/task/${thread}/stat`, "utf8").replace(/^.*\) /s, "")
      return Number(fields.split(" ")[16])
    } catch {
      // It has ended since the threads were listed.
      return null
    }
  }
  return readdirSync("/proc/self/task").filter((thread) => niceness(thread) === Math.min(19, getPriority() + 5))
}
/** Counts those that were made from now on: a server of before may have some that have not ended yet. */
const gentleFromNow = (): (() => number) => {
  const before = new Set(gentleThreads())
  return () => gentleThreads().filter((thread) => !before.has(thread)).length
}
const gentle = (threads: number): number => (hasPriorities ? threads : 0)
const job = { password: "x", salt: randomBytes(16), keyBytes: 32, n: 16, r: 8, p: 1 }

t.test("hashes are made in threads that give way to the others", async (t) => {
  const own = getPriority()
  const made = gentleFromNow()
  const hasher = makeHasher()
  const keys = await Promise.all([1, 2].map(() => Effect.runPromise(hasher.derive(job))))
  for (const key of keys) t.same(Buffer.from(key), scryptSync("x", job.salt, 32, { N: 16, r: 8, p: 1 }))
  t.equal(made(), gentle(2))
  await Effect.runPromise(hasher.derive(job))
  t.equal(made(), gentle(2), "an idle one takes the next")
  t.equal(getPriority(), own, "the process itself gives way to nobody")
  await hasher.close()
  t.equal(made(), 0)
})

t.test("who goes away before the hash is made has no further thread started", async (t) => {
  const made = gentleFromNow()
  const hasher = makeHasher()
  for (let n = 0; n < 5; n++) {
    const asked = Effect.runFork(hasher.derive({ ...job, n: 2 ** 14 }))
    await Effect.runPromise(Fiber.interrupt(asked))
  }
  await Effect.runPromise(hasher.derive(job))
  t.equal(made(), gentle(1))
  await hasher.close()
})

t.test("a thread that is at work when all end ends with its job", async (t) => {
  const made = gentleFromNow()
  const hasher = makeHasher()
  const last = Effect.runPromise(hasher.derive({ ...job, n: 2 ** 14 }))
  await hasher.close()
  t.equal((await last).length, 32)
  await until("the thread has ended", 10_000, () => made() === 0)
})

t.test("a hash that cannot be made is a defect of its own command, and the next one is made", async (t) => {
  const hasher = makeHasher()
  await t.rejects(Effect.runPromise(hasher.derive({ ...job, n: 3 })), "N must be a power of two")
  t.equal((await Effect.runPromise(hasher.derive(job))).length, 32)
  await hasher.close()
})
