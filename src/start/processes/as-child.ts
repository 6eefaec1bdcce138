/**
 * A process that another one has started beside others at one port: what it hears from that one, and tells it, by the channel that
 * Node has opened between the two. Used by main.ts; the other side is run-family.ts.
 */

/** Tells a child that another one serves in its place. */
export const replaced = "replaced"
/** Tells the parent that a child serves. */
export const ready = "ready"

interface ChildTask {
  readonly onReplaced: () => void
  /** The process that has started this one has ended. */
  readonly onOrphaned: () => void
}

/** Answers what tells that this process serves. */
export const asChild = ({ onReplaced, onOrphaned }: ChildTask): (() => void) => {
  process.on("message", (message) => {
    if (message === replaced) onReplaced()
  })
  process.once("disconnect", onOrphaned)
  // It is meant for the parent, and may be sent to all processes of a service or of a terminal.
  process.on("SIGHUP", () => {})
  // It would keep a process from its end.
  process.channel?.unref()
  return () => {
    if (process.connected) process.send?.(ready, () => {})
  }
}
