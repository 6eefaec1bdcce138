/** `parley-server/testing` as the compiler of a stranger sees it. What index.ts exports is checked against this. */
import type { StartServer, WithServer } from "./types.ts"

export type * from "./types.ts"

export declare const startServer: StartServer
export declare const withServer: WithServer
