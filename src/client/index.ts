/** `parley-server/client`: docs/client.md says how it is used. */

export type * as Api from "./api.ts"
export type { Event } from "./api.ts"
export { Client, type ClientOptions } from "./client.ts"
export { isRefused, type RefusalBody, Refused, Replaced, Unanswered } from "./errors.ts"
export type { Account } from "./exchange.ts"
export type { FrameForm } from "./frame-forms.ts"
export type { Code, Operation, Params, Reply } from "./operations.ts"
export type { PauseBounds } from "./pauses.ts"
export type { CallOptions } from "./persist.ts"
export type { SocketConstructor, SocketLike } from "./queue-socket.ts"
export type { Item, QueueReader, ReadOptions, State } from "./reader.ts"
