/** The threads in which passwords are hashed: started when they are needed first, and kept. */
import { Worker } from "node:worker_threads"
import * as Effect from "effect/Effect"

const file = new URL(import.meta.url.endsWith(".ts") ? "./hash-thread.ts" : "./hash-thread.js", import.meta.url)

/** One hash by scrypt; `n`, `r` and `p` are its parameters. */
export interface HashJob {
  readonly password: string
  readonly salt: Uint8Array
  readonly keyBytes: number
  readonly n: number
  readonly r: number
  readonly p: number
}

export interface Hasher {
  /**
   * Each job that runs at the same time has a thread of its own, so the caller bounds their number. It cannot be
   * interrupted, because the thread cannot: else whoever goes away again and again would have a thread started each time.
   */
  readonly derive: (job: HashJob) => Effect.Effect<Uint8Array>
  /** Ends the threads: those that do nothing now, others with their job. */
  readonly close: () => Promise<void>
}

export const makeHasher = (): Hasher => {
  const idle: Array<Worker> = []
  let isClosed = false

  const start = (): Worker => {
    // Without Node's arguments of a process that has this server in it.
    const thread = new Worker(file, { execArgv: [] })
    // An error that nobody listens for would end the process; the thread's end, which follows, tells whoever waits.
    thread.on("error", () => {})
    thread.once("exit", () => {
      const place = idle.indexOf(thread)
      if (place >= 0) idle.splice(place, 1)
    })
    return thread
  }

  const rest = (thread: Worker): void => {
    if (isClosed) return void thread.terminate()
    thread.unref()
    idle.push(thread)
  }

  return {
    derive: (job) =>
      Effect.uninterruptible(
        Effect.callback<Uint8Array>((resume) => {
          const thread = idle.pop() ?? start()
          // The program does not end while somebody waits for a hash, but goes on without one for idle threads.
          thread.ref()
          const fail = (error: Error) => resume(Effect.die(error))
          const end = () => fail(new Error("a thread that hashes passwords has ended"))
          thread.once("error", fail)
          thread.once("exit", end)
          thread.once("message", (key: Uint8Array) => {
            thread.off("error", fail).off("exit", end)
            rest(thread)
            resume(Effect.succeed(key))
          })
          thread.postMessage(job)
        }),
      ),
    close: async () => {
      isClosed = true
      await Promise.all(idle.splice(0).map((thread) => thread.terminate()))
    },
  }
}
