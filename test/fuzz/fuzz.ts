/**
 * Feeds a server with inputs at random, and judges it: it must not end, answer 500, log an error, take much memory or stand
 * still. Blocks of its loop are told from 15 ms on and only fail from a bound that a busy machine does not reach. Input n of a
 * seed is always the same. Used by main.ts and by test/deep/fuzz.test.ts.
 */
import { Dice } from "../faults/kill/dice.ts"
import { type Blamed, blame } from "./blame.ts"
import type { FuzzServer } from "./fuzz-server.ts"
import type { Input, Scene, Sent } from "./input.ts"
import { requestInput } from "./request-inputs.ts"
import { makeScene, nextScene, stillWorks } from "./scene.ts"
import { Line, type Outcome, sendInput } from "./send-input.ts"
import { httpInput, socketInput, uploadInput } from "./wire-inputs.ts"

export interface FuzzOptions {
  readonly seed: number
  readonly inputs: number
  readonly seconds: number
  /** How many are under way at a time. */
  readonly atOnce: number
  /** Bytes of memory of the server. */
  readonly mostMemory: number
  /** Milliseconds that its loop may work without a pause. */
  readonly mostBlock: number
  /** The first number; for one input alone `inputs` is 1. */
  readonly from: number
  readonly say: (text: string) => void
}

export interface FuzzReport {
  readonly seed: number
  readonly inputs: number
  readonly seconds: number
  /** Answers by the kind of input and their status. */
  readonly answers: ReadonlyMap<string, number>
  /** Numbers of blocks of more than 15 ms, by all that passed, and by what the loop's own thread has worked. */
  readonly late: number
  readonly blocks: number
  readonly longestBlock: number
  readonly blamed: ReadonlyArray<Blamed>
  readonly mostResident: number
  readonly faults: ReadonlyArray<string>
  /** How often each refusal came, of requests. */
  readonly refusals: ReadonlyMap<string, number>
}

/** The input of a number; the same for the same scene. */
export const inputOf = (seed: number, number: number, scene: Scene): Input => {
  const dice = new Dice(seed).fork(`${number}`)
  const kind = dice.below(100)
  if (kind < 62) return requestInput(dice, scene)
  if (kind < 82) return httpInput(dice, scene)
  return kind < 92 ? socketInput(dice, scene) : uploadInput(dice, scene)
}

const perLook = 2_000
const mostFaults = 20
const mostRefusals = 20_000
/** Bytes of an input that are shown. */
const mostShown = 6_000

export const show = (input: Input): string => {
  const bytes = input.kind === "request" ? input.bytes : Buffer.concat([...input.chunks])
  const rest = bytes.length > mostShown ? ` and ${bytes.length - mostShown} bytes more` : ""
  return `${input.what}: ${JSON.stringify(bytes.toString("latin1", 0, mostShown))}${rest}`
}

export const fuzz = async (server: FuzzServer, options: FuzzOptions): Promise<FuzzReport> => {
  const { seed, inputs, seconds, atOnce, from, say } = options
  let scene = await makeScene(server)
  const began = performance.now()
  const answers = new Map<string, number>()
  const faults: Array<string> = []
  /** What was under way lately: whoever blocked the loop is among them. */
  const lately: Array<Sent> = []
  let next = from
  let done = 0

  const isOver = () =>
    server.end !== null ||
    faults.length >= mostFaults ||
    next >= from + inputs ||
    (done > 0 && performance.now() - began > seconds * 1000)

  const refusals = new Map<string, number>()
  const note = (number: number, input: Input, { status, fault, refusal }: Outcome) => {
    if (refusal !== undefined && (refusals.has(refusal) || refusals.size < mostRefusals))
      refusals.set(refusal, (refusals.get(refusal) ?? 0) + 1)
    const key = `${input.kind} ${status}`
    answers.set(key, (answers.get(key) ?? 0) + 1)
    if (fault !== undefined) faults.push(`--seed ${seed} --only ${number}: ${fault}\n  ${show(input)}`)
  }

  const lines = Array.from({ length: atOnce }, () => new Line(server.port))
  const workOne = async (line: Line) => {
    const number = next
    next += 1
    const input = inputOf(seed, number, scene)
    const sent: Sent = { number, input, beganAt: Date.now(), endedAt: Number.POSITIVE_INFINITY }
    lately.push(sent)
    note(number, input, await sendInput(input, line, server.port, scene))
    sent.endedAt = Date.now()
    done += 1
  }

  const errorsSeen = () => {
    for (const line of server.errors.splice(0)) {
      const around = lately.slice(-2 * atOnce).map(({ number }) => number)
      faults.push(`the log has an error: ${line}\n  --seed ${seed}, among the inputs ${around.join(", ")}`)
    }
  }

  const blamed: Array<Blamed> = []
  let [late, blocks, longestBlock] = [0, 0, 0]
  /** Inputs are sent in rounds; after each a message must still come to whoever waits for it. */
  for (let round = 0; !isOver() || round === 0; round++) {
    const end = Math.min(from + inputs, next + perLook)
    const isRoundOver = () => isOver() || next >= end
    await Promise.all(
      lines.map(async (line) => {
        while (!isRoundOver()) await workOne(line)
      }),
    )
    errorsSeen()
    if (server.end !== null) break
    const own = server.blocks.filter((block) => block.own > 15)
    late += server.blocks.length
    blocks += own.length
    for (const block of server.blocks) longestBlock = Math.max(longestBlock, block.own)
    blamed.push(...blame(server.blocks.splice(0), lately))
    lately.splice(0, Math.max(0, lately.length - 4 * atOnce))
    if (server.mostResident > options.mostMemory) {
      faults.push(
        `the server took ${Math.round(server.mostResident / 2 ** 20)} MB; --seed ${seed}, up to input ${next}`,
      )
      break
    }
    try {
      scene = await nextScene(server, scene)
      await stillWorks(server, scene, round)
    } catch (error) {
      faults.push(`after input ${next} of --seed ${seed} the server does not work: ${String(error)}`)
      break
    }
    say(
      `${done} inputs, ${Math.round((performance.now() - began) / 1000)} s, ${Math.round(server.resident / 2 ** 20)} MB, ${blocks} blocks, ${faults.length} faults`,
    )
  }
  for (const line of lines) line.close()
  errorsSeen()
  if (server.end !== null)
    faults.push(
      `${server.end}; --seed ${seed}, among the inputs ${lately
        .slice(-2 * atOnce)
        .map(({ number }) => number)
        .join(", ")}`,
    )
  if (longestBlock > options.mostBlock)
    faults.push(`the loop worked for ${Math.round(longestBlock)} ms without a pause`)
  return {
    seed,
    inputs: done,
    seconds: (performance.now() - began) / 1000,
    answers,
    late,
    blocks,
    longestBlock,
    blamed,
    mostResident: server.mostResident,
    faults,
    refusals,
  }
}
