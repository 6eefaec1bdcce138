/**
 * Parameters of endpoints in an OpenAPI document. The server reads them from the address and from a form alike; the
 * document has those of GET and DELETE in the address, as clients mostly send them, and all others in the form.
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

const form = (params: ReadonlyArray<Param<unknown>>): JsonObject => {
  const required = params.filter((param) => param.required).map(({ name }) => name)
  const encoded = params.filter(({ kind }) => kind === "json")
  return {
    schema: {
      type: "object",
      properties: Object.fromEntries(params.map((param) => [param.name, described(param)])),
      ...(required.length === 0 ? {} : { required }),
    },
    ...(encoded.length === 0
      ? {}
      : { encoding: Object.fromEntries(encoded.map(({ name }) => [name, { contentType: "application/json" }])) }),
  }
}

/** A body with files beside the parameters. */
const upload = { type: "object", properties: { file: { type: "string", format: "binary" } }, required: ["file"] }

export interface Described {
  readonly method: Method
  readonly path: string
  readonly params: Readonly<Record<string, Param<unknown>>>
  readonly takesFile: boolean
}

/** The `parameters` and the `requestBody` of an operation. */
export const parametersOf = ({ method, path, params, takesFile }: Described): JsonObject => {
  const all = Object.values(params)
  const isInPath = ({ name }: Param<unknown>): boolean => path.includes(`{${name}}`) || path.includes(`{${name}:`)
  const others = all.filter((param) => !isInPath(param))
  const isInQuery = method === "GET" || method === "DELETE" || takesFile
  const parameters = [
    ...all.filter(isInPath).map((param) => inAddress(param, "path")),
    ...(isInQuery ? others.map((param) => inAddress(param, "query")) : []),
  ]
  const content = takesFile
    ? { "multipart/form-data": { schema: upload } }
    : isInQuery || others.length === 0
      ? undefined
      : { "application/x-www-form-urlencoded": form(others) }
  return {
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(content === undefined
      ? {}
      : { requestBody: { required: takesFile || others.some((param) => param.required), content } }),
  }
}
