/** How a job ends the server that can no longer follow its database. Provided by app.ts. */
import * as Context from "effect/Context"

export class ServerEnd extends Context.Service<
  ServerEnd,
  {
    /** `why`: in one sentence without a full stop, for whoever runs the server. */
    readonly end: (why: string) => void
  }
>()("parley/ServerEnd") {}
