/**
 * A load on several processes while they are disturbed, and the look at what came of it: every queue got every event exactly once
 * and in order, every acknowledged message is stored once. Used by the tests in test/deep.
 */
import { setTimeout as sleep } from "node:timers/promises"
import type { Test } from "tap"
import { announceSeed, isShort, timer } from "../../deep/budget.ts"
import { audit } from "../kill/audit.ts"
import { Dice } from "../kill/dice.ts"
import { beginLoad } from "../kill/load.ts"
import { readTruth } from "../kill/log-store.ts"
import { isAcknowledged } from "../kill/senders.ts"
import { Faults, type Member } from "../kill/world.ts"
import { fillDatabase, ServerGroup } from "./server-group.ts"

export interface Stage {
  readonly group: ServerGroup
  readonly people: ReadonlyArray<Member>
  readonly dice: Dice
  readonly goesOn: () => boolean
}

/** Runs it for as long as deep tests have. */
export const runGroup = async (
  t: Test,
  name: string,
  url: string,
  bus: string,
  disturb: (stage: Stage) => Promise<void>,
): Promise<void> => {
  const dice = new Dice(announceSeed(name))
  const faults = new Faults()
  const people = await fillDatabase(t, url)
  const group = await ServerGroup.create(t, 3, { url, faults, dice: dice.fork("group"), settings: { PARLEY_BUS: bus } })
  const state = { running: true }
  const answers = { sent: 0, unavailable: 0, refused: 0, lost: 0 }
  const world = {
    server: group,
    people,
    faults,
    isMoved: true,
    running: () => state.running && !faults.isFull,
    isQuiet: () => false,
  }
  const load = await beginLoad({
    world,
    dice,
    readers: 12,
    temper: { leaves: 0.05, givesUp: 0.15 },
    onAnswer: ({ kind }) => {
      answers[kind]++
    },
  })
  await disturb({ group, people, dice: dice.fork("faults"), goesOn: timer() })
  state.running = false
  const evidence = await load.finish()
  await group.stop()
  const truth = await readTruth({ kind: "postgres", url })
  const found = [...faults.list, ...audit(truth, evidence, { hasDemo: false, isAlone: false })]
  const events = evidence.readings.reduce((sum, { stored }) => sum + stored.length, 0)
  const acknowledged = evidence.sends.filter(isAcknowledged).length
  process.stderr.write(
    `${name}: ${JSON.stringify({ ...answers, acknowledged, events, rows: truth.rows.length, queues: evidence.readings.length })}\n`,
  )
  if (found.length > 0) process.stderr.write(`${group.output}\n`)
  t.same(found, [], `seed ${dice.seed}`)
  const least = isShort ? { acknowledged: 20, events: 100 } : { acknowledged: 60, events: 300 }
  t.ok(acknowledged > least.acknowledged && events > least.events, "there was load")
}

export const killInTurn = async ({ group, dice, goesOn }: Stage): Promise<void> => {
  const { servers } = group
  for (let n = 0; goesOn() || n < servers.length; n++) {
    const server = servers[n % servers.length]
    if (server === undefined) return
    await sleep(dice.between(100, 1500))
    await group.kill(server)
    await sleep(dice.between(0, 500))
    await group.start(server)
  }
}
