/** Plants faults one by one, and has the tests look for them. */
import { Copy } from "./copy.ts"
import type { Fault } from "./fault.ts"
import { Reach } from "./reach.ts"
import { type FileResult, runFiles } from "./run.ts"
import { dependsOnSeed, filesBeside, filesBeyond, hasShares, isIn } from "./test-files.ts"

export interface Found {
  readonly file: string
  readonly failure: string
}

export interface Outcome {
  readonly fault: Fault
  readonly seed: number
  /** Null: no test finds it. */
  readonly found: Found | null
  readonly seconds: number
}

export interface ProofOptions {
  readonly project: string
  /** All that there are, whichever of them are planted: what runs through them is found out at once. */
  readonly faults: ReadonlyArray<Fault>
  readonly jobs: number
  /** Seconds for each file. */
  readonly limit: number
  /** Only the tests beside each line are asked. */
  readonly isBeside: boolean
  readonly say: (text: string) => void
}

/** Test files that one process runs at most: they use ever more memory. */
const perProcess = 40

export class Proof {
  readonly #options: ProofOptions
  readonly #reach: Reach
  readonly #copies: ReadonlyArray<Copy>
  /** By file, and the seed where its tests depend on it: whether it passes where nothing is planted. */
  readonly #passes = new Map<string, Promise<boolean>>()

  private constructor(options: ProofOptions, reach: Reach, copies: ReadonlyArray<Copy>) {
    this.#options = options
    this.#reach = reach
    this.#copies = copies
  }

  static async begin(options: ProofOptions): Promise<Proof> {
    const reach = await Reach.open(options.project, options.faults)
    const copies = await Promise.all(Array.from({ length: options.jobs }, () => Copy.make(options.project)))
    return new Proof(options, reach, copies)
  }

  /** `on` is called with each outcome as soon as it is certain. */
  async run(faults: ReadonlyArray<Fault>, seed: number, on: (outcome: Outcome) => void): Promise<void> {
    const spent = new Map<Fault, number>()
    const isRun = isIn(seed)
    const look = async (copy: Copy, fault: Fault, files: ReadonlyArray<string>): Promise<Found | null> => {
      const began = performance.now()
      const found = await this.#look(copy, fault, files, seed)
      const seconds = (spent.get(fault) ?? 0) + (performance.now() - began) / 1000
      spent.set(fault, seconds)
      if (found !== null) on({ fault, seed, found, seconds })
      return found
    }
    const left: Array<Fault> = []
    await this.#inTurn(faults, async (copy, fault) => {
      const reaching = this.#reach.of(fault)
      const beside = filesBeside(fault.file, this.#reach.duration).filter(
        (file) => isRun(file) && (reaching === undefined || reaching.has(file) || hasShares(file)),
      )
      if ((await look(copy, fault, beside)) === null) left.push(fault)
    })
    if (left.length > 0 && !this.#options.isBeside && !this.#reach.isMeasured) {
      this.#options.say("which files run through which line, and for how long, is found out")
      await this.#reach.measure(this.#copies, { seed, limit: this.#options.limit }, ({ file, failure }) =>
        this.#options.say(`${file} fails where nothing is planted: ${failure}`),
      )
    }
    await this.#inTurn(left, async (copy, fault) => {
      const others = this.#options.isBeside ? [] : filesBeyond(fault.file, this.#reach.duration, this.#reach.of(fault))
      const beyond = others.filter(isRun)
      if ((await look(copy, fault, beyond)) === null) on({ fault, seed, found: null, seconds: spent.get(fault) ?? 0 })
    })
  }

  async #inTurn(faults: ReadonlyArray<Fault>, task: (copy: Copy, fault: Fault) => Promise<void>): Promise<void> {
    const line = [...faults]
    await Promise.all(
      this.#copies.map(async (copy) => {
        for (let fault = line.shift(); fault !== undefined; fault = line.shift()) await task(copy, fault)
      }),
    )
  }

  /** A file that fails has found the fault, if it fails alone as well, and does not without the fault. */
  async #look(copy: Copy, fault: Fault, files: ReadonlyArray<string>, seed: number): Promise<Found | null> {
    for (let left = files; left.length > 0; ) {
      const part = left.slice(0, perProcess)
      const { file, failure } = (await this.#firstFailure(copy, fault, part, seed)) ?? {
        file: part.at(-1),
        failure: null,
      }
      left = left.slice(left.indexOf(file ?? "") + 1)
      if (file === undefined || failure === null) continue
      const isFirst = file === part[0]
      const isSure = isFirst || (await this.#firstFailure(copy, fault, [file], seed)) !== null
      if (isSure && (await this.#passesWithout(copy, file, seed))) return { file, failure }
      this.#options.say(
        `${file} does not count: ${isSure ? "it fails without a fault" : "alone it passes"}: ${failure}`,
      )
    }
    return null
  }

  async #firstFailure(
    copy: Copy,
    fault: Fault,
    files: ReadonlyArray<string>,
    seed: number,
  ): Promise<FileResult | null> {
    await copy.plant(fault)
    try {
      return await this.#run(copy, files, seed)
    } finally {
      await copy.restore()
    }
  }

  async #run(copy: Copy, files: ReadonlyArray<string>, seed: number): Promise<FileResult | null> {
    const failures: Array<FileResult> = []
    await runFiles(copy, files, { seed, limit: this.#options.limit }, (result) => {
      if (result.failure !== null) failures.push(result)
    })
    return failures[0] ?? null
  }

  #passesWithout(copy: Copy, file: string, seed: number): Promise<boolean> {
    const key = dependsOnSeed(file) ? `${file} ${seed}` : file
    const known = this.#passes.get(key) ?? this.#run(copy, [file], seed).then((failed) => failed === null)
    this.#passes.set(key, known)
    return known
  }
}
