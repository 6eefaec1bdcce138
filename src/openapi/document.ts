/**
 * The description of the interface as an OpenAPI 3.1 document, made from the tables by which the server works: endpoints with
 * their parameters, answers and errors, and kinds of events. Nothing is described here that is described there.
 */
import type { WireKeys } from "../api/endpoint.ts"
import type { JsonSchema } from "../api/shapes.ts"
import type { Json, JsonObject } from "../json.ts"
import { SchemaComponents } from "./components.ts"
import { type DescribedRoute, operationOf, pascal, pathOf } from "./operations.ts"
import { joined } from "./same-paths.ts"

/** The endpoints of a room. */
export interface DescribedChapter {
  readonly name: string
  /** What is in it; for its reader up to the first colon or semicolon, then come the names of the code. */
  readonly about: string
  readonly routes: ReadonlyArray<DescribedRoute>
}

export interface DescribedInterface {
  readonly chapters: ReadonlyArray<DescribedChapter>
  readonly kinds: ReadonlyArray<{ readonly type: string; readonly events: WireKeys }>
}

/** The component of an event. */
export const eventName = (type: string, op: string): string =>
  pascal([...type.split("_"), ...(op === "" ? [] : op.split("_")), "event"])

/** A component for each event, and one for all. */
const addEvents = (components: SchemaComponents, { kinds }: DescribedInterface): JsonSchema => {
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
  webhook_key: {
    type: "apiKey",
    in: "query",
    name: "api_key",
    description: "The API key of a bot for incoming web hooks, in the address that the other service is given.",
  },
}

const sentence = (about: string): string => {
  const [said = ""] = about.split(/[:;]/)
  return `${said.charAt(0).toUpperCase()}${said.slice(1)}.`
}

/** `version`: that of the program. */
export const describe = (described: DescribedInterface, version: string): JsonObject => {
  const components = new SchemaComponents()
  const event = addEvents(components, described)
  const paths = new Map<string, Record<string, Json>>()
  const chapters = joined(described.chapters).filter(({ routes }) => routes.length > 0)
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
      license: { name: "Apache License 2.0", identifier: "Apache-2.0" },
      description:
        "A team chat server. Requests are signed by HTTP Basic authentication with an address and an API key; parameters come in the address or as a form. Events are read from a queue: `POST /register` makes one, `GET /events` waits for what comes. By WebSocket: docs/protocol.md.",
    },
    servers: [{ url: "/api/v1" }],
    tags: chapters.map(({ name, about }) => ({ name, description: sentence(about) })),
    paths: Object.fromEntries(paths),
    components: { schemas: components.all(), securitySchemes: security },
  }
}
