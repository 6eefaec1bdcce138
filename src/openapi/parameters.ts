/**
 * Parameters of endpoints in an OpenAPI document. The server reads them from the address and from a form alike; the
 * document has those of GET and DELETE in the address, as clients mostly send them, and all others in the form, also beside
 * a file: addresses are written into logs. What another service posts to a web hook is its own, so those are in the address.
 */
import type { Method } from "../api/endpoint.ts"
import type { Param } from "../api/params.ts"
import type { JsonSchema } from "../api/shapes.ts"
import type { JsonObject } from "../json.ts"
import { exampleOf } from "./examples.ts"

/** Units by the end of a name: they hold for parameters and for fields of answers. */
const units: ReadonlyArray<readonly [RegExp, string]> = [
  [/_seconds$|_secs$/, "In seconds."],
  [/_minutes$/, "In minutes."],
  [/_days$/, "In days."],
  [/_mib$|_size_mb$/, "In mebibytes."],
  [/(^|_)timestamp$|^deliver_at$|^scheduled_(delivery|reminder_delivery)_timestamp$/, "Seconds since the Unix epoch."],
]

export const unitOf = (name: string): string | undefined => units.find(([end]) => end.test(name))?.[1]

const sentences = (param: Param<unknown>): string =>
  [
    unitOf(param.name),
    param.isLoose === true ? "Text that is not JSON stands for itself." : undefined,
    param.aliases.length === 0 ? undefined : `Older names: ${param.aliases.map((name) => `\`${name}\``).join(", ")}.`,
  ]
    .filter((each) => each !== undefined)
    .join(" ")

/** The schema of a parameter with its default, its example and what there is to say of it. */
const described = (param: Param<unknown>): JsonSchema => {
  const description = sentences(param)
  const example = exampleOf(param)
  return {
    ...param.schema,
    ...(description === "" ? {} : { description }),
    ...(param.fallback === undefined ? {} : { default: param.fallback }),
    ...(example === undefined ? {} : { examples: [example] }),
  }
}

const inAddress = (param: Param<unknown>, place: "path" | "query"): JsonObject => {
  const { description, ...schema } = described(param)
  return {
    name: param.name,
    in: place,
    required: place === "path" || param.required,
    ...(description === undefined ? {} : { description }),
    ...(param.kind === "json" ? { content: { "application/json": { schema } } } : { schema }),
  }
}

/** `file`: whether one stands beside the parameters. */
const formContent = (params: ReadonlyArray<Param<unknown>>, file: TakesFile | undefined): JsonObject => {
  const needed = params.filter((param) => param.required).map(({ name }) => name)
  const required = file === "required" ? ["file", ...needed] : needed
  const encoded = params.filter(({ kind }) => kind === "json")
  return {
    schema: {
      type: "object",
      properties: {
        ...(file === undefined ? {} : { file: { type: "string", format: "binary" } }),
        ...Object.fromEntries(params.map((param) => [param.name, described(param)])),
      },
      ...(required.length === 0 ? {} : { required }),
    },
    ...(encoded.length === 0
      ? {}
      : { encoding: Object.fromEntries(encoded.map(({ name }) => [name, { contentType: "application/json" }])) }),
  }
}

export type TakesFile = "required" | "optional"

export interface DescribedEndpoint {
  readonly method: Method
  readonly path: string
  readonly params: Readonly<Record<string, Param<unknown>>>
  readonly takesFile: TakesFile | undefined
  /** Its body is another service's. */
  readonly takesWebhook?: true
}

/** The key of a web hook's address is no parameter but signs the request: a security scheme has it. */
const isKey = ({ name }: Param<unknown>): boolean => name === "api_key"

/** What another service posts, as JSON or as a form. */
const hookBody: JsonObject = {
  description: "What the service tells, in its own form.",
  required: true,
  content: {
    "application/json": { schema: {} },
    "application/x-www-form-urlencoded": { schema: { type: "object" } },
  },
}

/** A form of the parameters; one with a file is multipart, and where that may be absent there is the choice. */
const formBody = (params: ReadonlyArray<Param<unknown>>, file: TakesFile | undefined): JsonObject => ({
  required: file === "required" || params.some((param) => param.required),
  content: {
    ...(file === undefined ? {} : { "multipart/form-data": formContent(params, file) }),
    ...(file === "required" ? {} : { "application/x-www-form-urlencoded": formContent(params, undefined) }),
  },
})

/** The `parameters` and the `requestBody` of an operation. */
export const parametersOf = ({ method, path, params, takesFile, takesWebhook }: DescribedEndpoint): JsonObject => {
  const all = Object.values(params).filter((param) => takesWebhook !== true || !isKey(param))
  const isInPath = ({ name }: Param<unknown>): boolean => path.includes(`{${name}}`) || path.includes(`{${name}:`)
  const others = all.filter((param) => !isInPath(param))
  const isInQuery = method === "GET" || method === "DELETE" || takesWebhook === true
  const parameters = [
    ...all.filter(isInPath).map((param) => inAddress(param, "path")),
    ...(isInQuery ? others.map((param) => inAddress(param, "query")) : []),
  ]
  const hasForm = !isInQuery && (takesFile !== undefined || others.length > 0)
  const requestBody = takesWebhook === true ? hookBody : hasForm ? formBody(others, takesFile) : undefined
  return {
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(requestBody === undefined ? {} : { requestBody }),
  }
}
