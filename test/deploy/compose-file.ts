/** Reads the compose files of deploy/, as far as their tests need it, and the example of their secrets filled in. */
import { readFileSync } from "node:fs"
import * as Schema from "effect/Schema"
import { parse } from "yaml"
import { packageFile } from "../../src/db/package-root.ts"
import { imageEnvironment } from "./dockerfile.ts"

const Names = Schema.Array(Schema.String)
const isList = Schema.is(Names)
const Attached = Schema.Record(Schema.String, Schema.NullOr(Schema.Struct({ ipv4_address: Schema.String })))
const Service = Schema.Struct({
  image: Schema.String,
  build: Schema.optional(Schema.Struct({ context: Schema.String, dockerfile: Schema.String })),
  env_file: Schema.optional(Schema.String),
  environment: Schema.optional(Schema.Record(Schema.String, Schema.String)),
  ports: Schema.optional(Names),
  volumes: Schema.optional(Names),
  networks: Schema.Union([Names, Attached]),
  extra_hosts: Schema.optional(Names),
  healthcheck: Schema.optional(Schema.Struct({ test: Names })),
  depends_on: Schema.optional(Schema.Record(Schema.String, Schema.Struct({ condition: Schema.String }))),
})
const Network = Schema.Struct({
  internal: Schema.optional(Schema.Boolean),
  ipam: Schema.optional(Schema.Struct({ config: Schema.Array(Schema.Struct({ subnet: Schema.String })) })),
})
const Compose = Schema.Struct({
  name: Schema.String,
  services: Schema.Record(Schema.String, Service),
  volumes: Schema.Record(Schema.String, Schema.Null),
  networks: Schema.Record(Schema.String, Network),
})
type Service = typeof Service.Type

export const readText = (name: string): string => readFileSync(packageFile(name), "utf8")

/** Variables of the file of secrets, with what it gives as an example. */
export const example: ReadonlyMap<string, string> = new Map(
  readText("deploy/compose.env.example")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)] as const),
)

/** As somebody has filled it in: what is empty there is 32 bytes of hex. */
export const filled: ReadonlyMap<string, string> = new Map(
  [...example].map(([name, value], index) => [name, value || `${index}f2b41d09c6e7a35`.repeat(4)]),
)

const interpolate = (value: string): string =>
  value.replaceAll(/\$\{(\w+):\?\}/g, (_, name: string) => filled.get(name) ?? `(${name} is missing)`)

/** Names of variables that a file asks for. */
export const askedIn = (text: string): ReadonlySet<string> =>
  new Set([...text.matchAll(/\$\{(\w+):\?\}/g)].map(([, name = ""]) => name))

/** The networks that a service is in. */
export const networksOf = ({ networks }: Service): ReadonlyArray<string> =>
  isList(networks) ? networks : Object.keys(networks)

/** A service's own address in a network, where the file gives it one. */
export const addressOf = ({ networks }: Service, network: string): string | undefined =>
  isList(networks) ? undefined : networks[network]?.ipv4_address

export const readCompose = (file: string) => {
  const text = readText(file)
  const compose = Schema.decodeUnknownSync(Compose)(parse(text, { merge: true }))
  const serviceOf = (name: string): Service => {
    const service = compose.services[name]
    if (service === undefined) throw new Error(`there is no service ${name}`)
    return service
  }
  return {
    ...compose,
    text,
    serviceOf,
    /** What a process of Parley is started with there. */
    environmentOf: (name: string): Readonly<Record<string, string>> => ({
      ...imageEnvironment(),
      ...Object.fromEntries(filled),
      ...Object.fromEntries(
        Object.entries(serviceOf(name).environment ?? {}).map(([name, value]) => [name, interpolate(value)]),
      ),
    }),
    /** Files and folders of volumes that are not made by Docker, relative to the file. */
    filesOf: (name: string): ReadonlyArray<string> =>
      (serviceOf(name).volumes ?? [])
        .map((volume) => volume.split(":")[0] ?? "")
        .filter((source) => source.startsWith("./")),
  }
}
