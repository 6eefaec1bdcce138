/** Endpoints as operations of an OpenAPI document. */
import type { Route } from "../api/endpoint.ts"
import { errorCodes } from "../api/error-codes.ts"
import { type ErrorCode, statusOf } from "../api/errors.ts"
import type { JsonSchema } from "../api/shapes.ts"
import type { JsonObject } from "../json.ts"
import type { SchemaComponents } from "./components.ts"
import { parametersOf } from "./parameters.ts"

export type DescribedRoute = Pick<
  Route<never>,
  | "access"
  | "method"
  | "path"
  | "summary"
  | "params"
  | "reply"
  | "errors"
  | "takesUpload"
  | "takesImage"
  | "takesWebhook"
  | "forWebhookBots"
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
      "The server failed, or cannot do it now; after `SERVICE_UNAVAILABLE` and `UPGRADE_UNDER_WAY` nothing was done.",
    ),
  }
}

const noSecurity = {}
const basic = { basic: [] }
const webhookKey = { webhook_key: [] }

const securityOf = ({ access, takesWebhook }: DescribedRoute) =>
  access === "either"
    ? [noSecurity, basic]
    : access === "anyone"
      ? []
      : takesWebhook === true
        ? [webhookKey, basic]
        : [basic]

const askers: Readonly<Record<DescribedRoute["access"], string>> = {
  user: "For accounts.",
  anyone: "Needs no account.",
  either: "For accounts, and for visitors as far as the organization lets them read without one.",
}

/** What a reader needs to know beside the summary, as far as the endpoint's own facts say it. */
const descriptionOf = ({ access, errors, takesImage, takesUpload, forWebhookBots }: DescribedRoute): string =>
  [
    askers[access],
    forWebhookBots === true ? "Also for bots that only post what another service tells them." : undefined,
    takesImage === "optional" ? "A picture may come with it, as the form's file." : undefined,
    takesImage === "required" ? "The picture is the form's file, under any name." : undefined,
    takesUpload === true ? "The file is the form's only one, under any name, and is read as it comes." : undefined,
    errors.length === 0 ? undefined : `Refusals of its own: ${errors.map((code) => `\`${code}\``).join(", ")}.`,
  ]
    .filter((each) => each !== undefined)
    .join(" ")

/** `tag`: the chapter in which it stands. `reply`: the fields of a success. */
export const operationOf = (
  route: DescribedRoute,
  tag: string,
  reply: JsonSchema,
  components: SchemaComponents,
): JsonObject => ({
  operationId: operationId(route),
  tags: [tag],
  summary: route.summary,
  description: descriptionOf(route),
  security: securityOf(route),
  ...parametersOf({ ...route, takesFile: route.takesUpload === true ? "required" : route.takesImage }),
  responses: {
    "200": {
      description: "Done.",
      content: { "application/json": { schema: components.withFields(reply, success, ["result", "msg"]) } },
    },
    ...errorsOf(route),
  },
})
