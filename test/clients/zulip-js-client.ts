/**
 * zulip-js for tests. It puts a FormData of its own in place of Node's, for the whole process, in which other files' tests run:
 * so it is there only for as long as a test that uses it.
 */
import type { Test } from "tap"

const nodes = globalThis.FormData
const { default: zulip } = await import("zulip-js")
const its = globalThis.FormData
globalThis.FormData = nodes

/** The client, until the test ends. */
export const zulipFor = (t: Test): typeof zulip => {
  globalThis.FormData = its
  t.teardown(() => {
    globalThis.FormData = nodes
  })
  return zulip
}
