/**
 * The OpenAPI document as the types of the client: src/client/api.ts, which `npm run docs` writes. Components keep their
 * names; what else stands at several places gets one of its own, after the shortest property that has it. The only
 * values in the file are the names of parameters whose text must be quoted, because a channel may be called `5`.
 */
import * as Predicate from "effect/Predicate"
import type { JsonSchema } from "../api/shapes.ts"
import type { Json, JsonObject } from "../json.ts"
import { pascal } from "./operations.ts"
import { isObject, objectOf, type TypeName, TypeTexts } from "./type-texts.ts"

const listOf = (value: Json | undefined): ReadonlyArray<Json> => (Array.isArray(value) ? value : [])
const at = (value: Json | undefined, ...path: ReadonlyArray<string>): JsonObject =>
  objectOf(path.reduce<Json | undefined>((inner, key) => objectOf(inner)[key], value))

interface Operation {
  readonly name: string
  readonly summary: string
  readonly parameters: ReadonlyArray<Parameter>
  readonly reply: JsonSchema
  readonly codes: ReadonlyArray<string>
  readonly isSigned: boolean
}

interface Parameter {
  readonly name: string
  readonly isRequired: boolean
  readonly isJson: boolean
  readonly schema: JsonSchema
}

const inAddress = (parameter: JsonObject): Parameter => ({
  name: String(parameter["name"]),
  isRequired: parameter["required"] === true,
  isJson: parameter["content"] !== undefined,
  schema: isObject(parameter["schema"]) ? parameter["schema"] : at(parameter, "content", "application/json", "schema"),
})

const inForm = (body: JsonObject): ReadonlyArray<Parameter> => {
  const required = listOf(at(body, "schema")["required"])
  return Object.entries(at(body, "schema", "properties")).map(([name, schema]) => ({
    name,
    isRequired: required.includes(name),
    isJson: at(body, "encoding")[name] !== undefined,
    schema: objectOf(schema),
  }))
}

/** Whether every success has it; a few have a `msg` of their own. */
const isOfAll = (key: string, properties: JsonObject): boolean =>
  key === "result" || (key === "msg" && objectOf(properties[key])["const"] === "")

const withoutEnvelope = (schema: JsonSchema): JsonSchema => {
  const { anyOf, properties: all, required, not: _, ...rest } = schema
  if (Array.isArray(anyOf)) return { ...rest, anyOf: anyOf.map((each: Json) => withoutEnvelope(objectOf(each))) }
  const properties = objectOf(all)
  return {
    ...rest,
    properties: Object.fromEntries(Object.entries(properties).filter(([key]) => !isOfAll(key, properties))),
    required: listOf(required).filter((key) => !isOfAll(String(key), properties)),
  }
}

const codesOf = (operation: JsonObject): ReadonlyArray<string> =>
  ["4XX", "5XX"].flatMap((status) =>
    listOf(
      at(operation, "responses", status, "content", "application/json", "schema", "properties", "code")["enum"],
    ).map(String),
  )

const urlencoded = "application/x-www-form-urlencoded"

const operationsOf = (document: JsonObject): ReadonlyArray<Operation> =>
  Object.entries(at(document, "paths")).flatMap(([path, methods]) =>
    Object.entries(objectOf(methods)).map(([method, value]): Operation => {
      const operation = objectOf(value)
      const bodies = at(operation, "requestBody", "content")
      return {
        name: `${method.toUpperCase()} ${path}`,
        summary: String(operation["summary"]),
        parameters: [
          ...listOf(operation["parameters"]).map((each) => inAddress(objectOf(each))),
          ...inForm(at(bodies, bodies["multipart/form-data"] === undefined ? urlencoded : "multipart/form-data")),
        ],
        reply: withoutEnvelope(at(operation, "responses", "200", "content", "application/json", "schema")),
        codes: codesOf(operation),
        isSigned: listOf(operation["security"]).length > 0,
      }
    }),
  )

/** The codes that all of some operations have. */
const shared = (operations: ReadonlyArray<Operation>): ReadonlyArray<string> =>
  (operations[0]?.codes ?? []).filter((code) => operations.every(({ codes }) => codes.includes(code)))

const quoted = (texts: ReadonlyArray<string>): ReadonlyArray<string> => texts.map((text) => JSON.stringify(text))

const paramsSchema = ({ parameters }: Operation): JsonSchema => ({
  type: "object",
  properties: Object.fromEntries(parameters.map(({ name, schema }) => [name, schema])),
  required: parameters.filter(({ isRequired }) => isRequired).map(({ name }) => name),
})

const mayBeText = (schema: JsonSchema): boolean => {
  const { type, enum: values, anyOf, const: value } = schema
  if (Array.isArray(values)) return values.some(Predicate.isString)
  if (Array.isArray(anyOf)) return anyOf.some((each: Json) => mayBeText(objectOf(each)))
  if (value !== undefined) return Predicate.isString(value)
  return type === undefined || type === "string" || listOf(type).includes("string")
}

/** Parameters of JSON text that may be a string, by operation. */
const jsonTexts = (operations: ReadonlyArray<Operation>): ReadonlyArray<string> =>
  operations.flatMap(({ name, parameters }) => {
    const names = parameters.filter(({ isJson, schema }) => isJson && mayBeText(schema)).map((each) => each.name)
    return names.length === 0 ? [] : [`  ${JSON.stringify(name)}: ${JSON.stringify(names.join(" "))},`]
  })

/** `streams` is a list of `Stream`. Permissions have many names and one type, and another where they are changed. */
const typeName: TypeName = (key, text) => {
  if (/_group$/.test(key)) return text.startsWith("{ new: ") ? "GroupSettingChange" : "GroupSetting"
  const name = pascal(
    key
      .replace("[]", "")
      .split("_")
      .filter((word) => word !== ""),
  )
  return key.endsWith("[]") ? name.replace(/(?<=[^su])s$/, "") : name
}

/** The whole file. */
export const clientTypes = (document: JsonObject): string => {
  const components = Object.entries(at(document, "components", "schemas")).map(
    ([name, schema]) => [name, objectOf(schema)] as const,
  )
  const operations = operationsOf(document)
  const texts = new TypeTexts(typeName, new Set(components.map(([name]) => name)))
  for (const [name, schema] of components) texts.see(name, schema)
  for (const operation of operations) {
    texts.see(`${operation.name} params`, paramsSchema(operation))
    texts.see(`${operation.name} reply`, operation.reply)
  }
  const ofAll = shared(operations)
  const ofSigned = shared(operations.filter(({ isSigned }) => isSigned)).filter((code) => !ofAll.includes(code))
  const errorOf = ({ codes, isSigned }: Operation): string => {
    const known = isSigned ? [...ofAll, ...ofSigned] : ofAll
    const own = quoted(codes.filter((code) => !known.includes(code)))
    return ["CodeOfAll", ...(isSigned ? ["CodeOfSigned"] : []), ...own].join(" | ")
  }
  const declared = components.map(([name, schema]) => `export type ${name} = ${texts.whole(schema)}`)
  return [
    "/**",
    " * Made by `npm run docs` from the OpenAPI document of this program (src/openapi/client-types.ts): the parameters, the",
    " * reply and the error codes of each endpoint, and every event. Not to be edited.",
    " */",
    `export type CodeOfAll = ${quoted(ofAll).join(" | ")}`,
    `export type CodeOfSigned = ${quoted(ofSigned).join(" | ")}`,
    "",
    ...texts.named(),
    ...declared,
    "",
    "export interface Operations {",
    ...operations.flatMap((operation) => [
      `  /** ${operation.summary} */`,
      `  ${JSON.stringify(operation.name)}: {`,
      `    params: ${texts.inside(paramsSchema(operation))}`,
      `    reply: ${texts.inside(operation.reply)}`,
      `    error: ${errorOf(operation)}`,
      "  }",
    ]),
    "}",
    "",
    "/** Parameters whose strings are JSON texts, by operation: a bare `5` would be a number there. */",
    "export const jsonTexts: Readonly<Record<string, string>> = {",
    ...jsonTexts(operations),
    "}",
    "",
  ].join("\n")
}
