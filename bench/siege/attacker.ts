/**
 * The process of one kind of attacker. It yields the processor to the server and the honest users, because real
 * attackers would not run on the server's machine.
 */
import { setPriority } from "node:os"
import * as Schema from "effect/Schema"
import { serveCommands } from "../remote.ts"
import { attacks } from "./attacks/all.ts"
import { Kit } from "./kit.ts"
import { Target } from "./target.ts"

const Orders = Schema.decodeUnknownSync(
  Schema.Struct({
    port: Schema.Number,
    target: Target,
    /** Names of attacks, all of one kind of attacker. */
    names: Schema.Array(Schema.String),
    seconds: Schema.Number,
    /** Whether each attack has an account of its own, or all have the same. */
    accountEach: Schema.Boolean,
  }),
)

const lowest = 19
/** Attacks that have not ended by themselves so long after their end are left. */
const graceMilliseconds = 5_000

const attack = async ({ port, target, names, seconds, accountEach }: ReturnType<typeof Orders>) => {
  setPriority(lowest)
  const chosen = attacks.filter(({ name }) => names.includes(name))
  const faults: Array<string> = []
  const running = chosen.map((each, n) => {
    const kit = new Kit(port, target, accountEach ? n : null)
    const done = each.run(kit).catch((error: unknown) => void faults.push(`${each.name}: ${error}`))
    return { name: each.name, kit, done }
  })
  await new Promise((resolve) => setTimeout(resolve, 1000 * seconds))
  for (const { kit } of running) kit.end()
  const grace = new Promise((resolve) => setTimeout(resolve, graceMilliseconds).unref())
  await Promise.race([Promise.all(running.map(({ done }) => done)), grace])
  return { tallies: Object.fromEntries(running.map(({ name, kit }) => [name, kit.tally])), faults }
}

serveCommands({ attack: (orders) => attack(Orders(orders)) }, async () => {})
