/**
 * A page for people, outside of the API: plain HTML that works without script. Its address is a prefix and what names a thing,
 * and whoever knows that may look at it (GET) and send its form (POST). Pages know no cookies and no keys. Features export them,
 * app.ts hands them to the server; http/web-pages.ts runs them.
 */
import type * as Effect from "effect/Effect"
import type { ConfigShape } from "../config/config.ts"
import type { RealmId } from "../ids.ts"
import type { RequestFailure } from "./errors.ts"

export interface HtmlPageRequest {
  /** What stands behind the prefix, as it was sent. */
  readonly name: string
  /** null where no organization is served at the host. */
  readonly realm: RealmId | null
  /** The address that clients use to reach this server, without a trailing slash. */
  readonly origin: string
  /** The network address that it came from, as limits count it. */
  readonly address: string
  /** The fields of the form; null where the page is only looked at. */
  readonly form: ReadonlyMap<string, string> | null
}

/** Both parts are HTML: whoever makes it escapes what is text. */
export interface HtmlPage {
  readonly status: number
  readonly title: string
  readonly body: string
}

export interface WebPage<R> {
  /** Begins and ends with a slash. */
  readonly prefix: string
  /** Whether there is such a page under the operator's settings; absent: under any. */
  readonly isServed?: (config: ConfigShape) => boolean
  readonly run: (request: HtmlPageRequest) => Effect.Effect<HtmlPage, RequestFailure, R>
}
