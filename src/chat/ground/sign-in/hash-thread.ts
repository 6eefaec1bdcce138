/**
 * A thread that computes password hashes, one after the other, as passwords.ts asks for. It gives way to all other
 * threads of the server: on a busy machine who guesses passwords takes what the others leave.
 */
import { scryptSync } from "node:crypto"
import { getPriority, setPriority } from "node:os"
import { parentPort } from "node:worker_threads"
import type { HashJob } from "./hasher.ts"

/** Steps below the other threads: a quarter of a processor is left where one of them wants it, too. */
const lower = 5
const lowest = 19

// On Linux a thread has a priority of its own, and 0 stands for the calling thread; elsewhere it is the process's.
if (process.platform === "linux")
  try {
    setPriority(0, Math.min(lowest, getPriority(0) + lower))
  } catch {
    // The system does not allow it: passwords are hashed all the same.
  }

parentPort?.on("message", ({ password, salt, keyBytes, n, r, p }: HashJob) => {
  // The limit is on what OpenSSL counts: 128 * n * r and a little for each of the p parts.
  parentPort?.postMessage(scryptSync(password, salt, keyBytes, { N: n, r, p, maxmem: 256 * n * r }))
})
