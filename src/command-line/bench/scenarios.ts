/** What is measured: fan-out, rate, storm. Each drives a stage that all its queues have joined. */

import type { BenchArguments, ScenarioName } from "./bench-arguments.ts"
import type { BenchStage, Measurement } from "./stage.ts"
import { quantile } from "./statistics.ts"
import { missedPace } from "./steady-beat.ts"

const warmUpSeconds = 0.5
const backMilliseconds = 60_000
const lookMilliseconds = 2

type Scenario = (stage: BenchStage, orders: BenchArguments, add: (outcome: Measurement) => void) => Promise<void>

const fanOut: Scenario = async (stage, { inFlight, seconds }, add) => {
  const { load } = stage
  const { ledger } = load
  for (const many of inFlight) {
    const how = `${many} in flight`
    const label = stage.labelOf(how)
    const measured = await stage.measure("fan-out", how, "waits for messages in flight", async () => {
      load.start({ inFlight: many, perSecond: null })
      await stage.pass(`fan-out: ${label}, warm-up`, Math.min(warmUpSeconds, seconds))
      const [delays, first, before] = [ledger.time(), ledger.messages, ledger.deliveries]
      const [shares, begin] = [stage.watch(), performance.now()]
      await stage.pass(`fan-out: ${label}`, seconds)
      const [took, busy] = [(performance.now() - begin) / 1000, shares()]
      return {
        figures: {
          "deliveries/s": (ledger.deliveries - before) / took,
          "messages/s": (ledger.messages - first) / took,
          "p50 ms": delays.quantile(0.5),
          "p99 ms": delays.quantile(0.99),
          "answer p50 ms": quantile(ledger.times(first).answers, 0.5),
        },
        shares: busy,
      }
    })
    add(measured)
  }
}

const rate: Scenario = async (stage, { perSecond, seconds }, add) => {
  const { load } = stage
  const how = `${perSecond}/s`
  const label = stage.labelOf(how)
  const measured = await stage.measure("rate", how, "the pace asked for", async () => {
    const [first, begin] = [load.ledger.messages, performance.now()]
    load.start({ inFlight: null, perSecond })
    const shares = stage.watch()
    await stage.pass(`rate: ${label}`, seconds)
    const [took, busy, messages] = [(performance.now() - begin) / 1000, shares(), load.ledger.messages - first]
    const { medians, lasts, answers } = load.ledger.times(first)
    return {
      figures: {
        "messages/s": messages / took,
        "median reader p50 ms": quantile(medians, 0.5),
        "last reader p50 ms": quantile(lasts, 0.5),
        "last reader p99 ms": quantile(lasts, 0.99),
        "answer p50 ms": quantile(answers, 0.5),
      },
      shares: busy,
      missed: missedPace(messages, perSecond, took),
    }
  })
  add(measured)
}

/** The marker is the first message after the cut: who has it is back. */
const storm: Scenario = async (stage, { perSecond, seconds }, add) => {
  const { load, crowd, options } = stage
  const { ledger } = load
  const how = "cut at once"
  const label = stage.labelOf(how)
  const measured = await stage.measure("storm", how, "all come back", async () => {
    load.start({ inFlight: null, perSecond })
    await stage.pass(`storm: ${label}, before`, seconds / 2)
    const shares = stage.watch()
    const cutAt = performance.now()
    crowd.cut()
    await crowd.openAll()
    const marker = ledger.messages
    const sentAfter = performance.now() - cutAt
    load.sendOne()
    options.scene.tell(`storm: ${label}, all connect again`)
    while (!ledger.isComplete(marker) && performance.now() < cutAt + backMilliseconds) {
      options.scene.signal.throwIfAborted()
      await new Promise((resolve) => setTimeout(resolve, lookMilliseconds))
    }
    const busy = shares()
    const { medians, lasts } = ledger.times(marker, marker + 1)
    await stage.pass(`storm: ${label}, afterwards`, seconds / 2)
    return {
      figures: {
        "half back ms": sentAfter + (medians[0] ?? Number.NaN),
        "all back ms": sentAfter + (lasts[0] ?? Number.NaN),
      },
      shares: busy,
    }
  })
  add(measured)
}

export const scenarios: Readonly<Record<ScenarioName, Scenario>> = { "fan-out": fanOut, rate, storm }
