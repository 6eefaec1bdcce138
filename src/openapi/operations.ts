/** Endpoints as operations of an OpenAPI document. */
import { errorCodes, type Route } from "../api/endpoint.ts"
import { type ErrorCode, statusOf } from "../api/errors.ts"
import type { JsonSchema } from "../api/shapes.ts"
import type { JsonObject } from "../json.ts"
import type { Components } from "./components.ts"
import { parametersOf } from "./parameters.ts"

export type DescribedRoute = Pick<
  Route<never>,
  "access" | "method" | "path" | "summary" | "params" | "reply" | "errors" | "takesUpload" | "takesImage"
>

/** The path as OpenAPI writes it: `{user_id:int}` is `{user_id}`. */
export const pathOf = ({ path }: Pick<DescribedRoute, "path">): string => path.replaceAll(/\{(\w+):int\}/g, "{$1}")

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)
export const pascal = (words: ReadonlyArray<string>): string => words.map(capital).join("")

/** `GET /users/{user_id}/status` is `getUsersByUserIdStatus`. */
const operationId = (route: DescribedRoute): string => {
  const segments = pathOf(route)
    .split("/")
    .filter((segment) => segment !== "")
  const words = segments.flatMap((segment) =>
    segment.startsWith("{") ? ["by", ...segment.split(/\W|_/)] : segment.split(/\W|_/),
  )
  return `${route.method.toLowerCase()}${pascal(words)}`
}

/** What all successes have beside their own fields. */
const success = {
  result: { const: "success" },
  msg: { const: "" },
  ignored_parameters_unsupported: {
    type: "array",
    items: { type: "string" },
    minItems: 1,
    description: "The parameters of the request that the endpoint does not know.",
  },
}

const errorResponse = (codes: ReadonlyArray<ErrorCode>, description: string): JsonObject => ({
  description,
  content: {
    "application/json": {
      schema: {
        type: "object",
        properties: { result: { const: "error" }, msg: { type: "string", minLength: 1 }, code: { enum: codes } },
        required: ["result", "msg", "code"],
      },
    },
  },
})

/** By hundreds: one code may come with several statuses. */
const errorsOf = (route: DescribedRoute): JsonObject => {
  const codes = [...errorCodes(route)].sort()
  const among = (low: number) => codes.filter((code) => Math.floor(statusOf(code) / 100) === low)
  return {
    "4XX": errorResponse(among(4), "Refused; `code` says why, `msg` says it to people."),
    "5XX": errorResponse(
      among(5),
      "The server failed, or cannot do it now; after `SERVICE_UNAVAILABLE` nothing was done.",
    ),
  }
}

const noSecurity = {}
const basic = { basic: [] }

const securityOf = ({ access }: DescribedRoute) =>
  access === "user" ? [basic] : access === "either" ? [noSecurity, basic] : []

/** The wing of its room is the chapter in which it stands. `reply`: the fields of a success. */
export const operationOf = (
  route: DescribedRoute,
  tag: string,
  reply: JsonSchema,
  components: Components,
): JsonObject => ({
  operationId: operationId(route),
  tags: [tag],
  summary: route.summary,
  security: securityOf(route),
  ...parametersOf({ ...route, takesFile: route.takesUpload === true || route.takesImage === true }),
  responses: {
    "200": {
      description: "Done.",
      content: { "application/json": { schema: components.withFields(reply, success, ["result", "msg"]) } },
    },
    ...errorsOf(route),
  },
})
