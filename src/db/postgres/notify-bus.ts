/**
 * The bus by NOTIFY of PostgreSQL, on the session that a process has anyway. All processes hear of all organizations. Made in
 * postgres-cluster.ts.
 */
import type { Bus } from "../bus.ts"
import { notifySql, type Session } from "./postgres-session.ts"

/** NOTIFY takes 8,000 bytes: sealed and in base64 this is 7.9 thousand. */
const pieceBytes = 5_800

/** `listen`: of what the session hears. */
export const makeNotifyBus = ({ run, isOpen }: Session, listen: Bus["listen"]): Bus => ({
  longest: () => pieceBytes,
  publish: (messages) =>
    run(notifySql, [JSON.stringify(messages.map(({ text }) => text))]).then(
      () => messages.length,
      () => 0,
    ),
  subscribe: () => () => {},
  listen,
  isUp: isOpen,
})
