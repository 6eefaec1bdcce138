/**
 * The description of the interface as an OpenAPI 3.1 document, made from the tables by which the server works: endpoints with
 * their parameters, answers and errors, and kinds of events. Nothing is described here that is described there.
 */
import type { Keys } from "../api/endpoint.ts"
import type { JsonSchema } from "../api/shapes.ts"
import type { Json, JsonObject } from "../json.ts"
import { Components } from "./components.ts"
import { type DescribedRoute, operationOf, pascal, pathOf } from "./operations.ts"

/** The endpoints of a room. */
export interface Chapter {
  readonly name: string
  readonly routes: ReadonlyArray<DescribedRoute>
}

export interface Described {
  readonly chapters: ReadonlyArray<Chapter>
  readonly kinds: ReadonlyArray<{ readonly type: string; readonly events: Keys }>
}

/** The component of an event. */
export const eventName = (type: string, op: string): string =>
  pascal([...type.split("_"), ...(op === "" ? [] : op.split("_")), "event"])

/** A component for each event, and one for all. */
const addEvents = (components: Components, { kinds }: Described): JsonSchema => {
  const all = kinds.flatMap(({ type, events }) =>
    Object.entries(events).map(([op, schema]) => components.add(eventName(type, op), components.of(schema))),
  )
  return components.add("Event", { anyOf: all })
}

/** What the endpoint of a poll answers; its own schema leaves open what an event is. */
const polled = (event: JsonSchema): JsonSchema => ({
  type: "object",
  properties: { events: { type: "array", items: event } },
  required: ["events"],
  additionalProperties: false,
})

const isPoll = ({ method, path }: DescribedRoute): boolean => method === "GET" && path === "/events"

const security: Json = {
  basic: { type: "http", scheme: "basic", description: "The address of an account, and its API key as the password." },
}

/** `version`: that of the program. */
export const describe = (described: Described, version: string): JsonObject => {
  const components = new Components()
  const event = addEvents(components, described)
  const paths = new Map<string, Record<string, Json>>()
  const chapters = described.chapters.filter(({ routes }) => routes.length > 0)
  for (const { name, routes } of chapters) {
    for (const route of routes) {
      const reply = isPoll(route) ? polled(event) : components.of(route.reply)
      const path = pathOf(route)
      const operation = operationOf(route, name, reply, components)
      paths.set(path, { ...paths.get(path), [route.method.toLowerCase()]: operation })
    }
  }
  return {
    openapi: "3.1.1",
    info: {
      title: "Parley",
      version,
      description:
        "A team chat server. Requests are signed by HTTP Basic authentication with an address and an API key; parameters come in the address or as a form. Events are read from a queue: `POST /register` makes one, `GET /events` waits for what comes. By WebSocket: docs/protocol.md.",
    },
    servers: [{ url: "/api/v1" }],
    tags: chapters.map(({ name }) => ({ name })),
    paths: Object.fromEntries(paths),
    components: { schemas: components.all(), securitySchemes: security },
  }
}
