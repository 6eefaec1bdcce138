/**
 * deploy/compose-many.yaml, read: its three processes are started with settings that the program accepts and differ in their port
 * only, nginx-many.conf finds them, and what compose.yaml has too is the same.
 */
import { existsSync } from "node:fs"
import { join } from "node:path"
import * as Result from "effect/Result"
import t from "tap"
import { readCommand } from "../../src/config/read-settings.ts"
import { allSettings } from "../../src/config/settings.ts"
import { packageFile } from "../../src/db/package-root.ts"
import { addressOf, example, networksOf, readCompose, readText } from "./compose-file.ts"
import { imageEnvironment, ofImage } from "./dockerfile.ts"

const single = readCompose("deploy/compose.yaml")
const { text, services, volumes, networks, serviceOf, environmentOf, ...many } = readCompose("deploy/compose-many.yaml")
const processes = ["parley1", "parley2", "parley3"] as const
const nginxFile = readText("deploy/nginx-many.conf")

t.test("the settings of each process are accepted", async (t) => {
  const known = new Set(allSettings.map(({ env }) => env))
  for (const [name] of text.matchAll(/\bPARLEY_\w+/g)) t.ok(known.has(name), name)
  const [subnet] = networks["front"]?.ipam?.config ?? []
  const common = new Set<string>()
  for (const [index, name] of processes.entries()) {
    const { PARLEY_PORT, ...rest } = environmentOf(name)
    common.add(JSON.stringify(rest))
    t.equal(PARLEY_PORT, String(9991 + index))
    const command = readCommand(environmentOf(name), [])
    if (Result.isFailure(command)) return void t.fail(command.failure.message)
    t.match(command.success, {
      _tag: "Serve",
      settings: {
        mode: "production",
        host: "0.0.0.0",
        dataFolder: imageEnvironment()["PARLEY_DATA_DIR"],
        processes: { bus: { servers: ["nats:4222"], isTls: false }, sharesLimits: true },
        trustedProxies: [subnet?.subnet],
      },
    })
  }
  t.equal(common.size, 1, "but for the port they are the same")
})

t.test("what both files have is the same", async (t) => {
  t.equal(many.name, single.name)
  for (const name of Object.keys(volumes)) t.ok(name in single.volumes, name)
  t.same(networks, single.networks)
  t.same(serviceOf("postgres"), single.serviceOf("postgres"))
  const { networks: _, environment, ...process } = serviceOf("parley1")
  const { networks: __, environment: settings, ...alone } = single.serviceOf("parley")
  t.same(process, alone)
  for (const [name, value] of Object.entries(settings ?? {})) t.equal(environment?.[name], value, name)
})

t.test("nginx finds the processes, and everybody waits for whom they need", async (t) => {
  t.same(Object.keys(services), ["postgres", "nats", ...processes, "nginx"])
  const nginx = serviceOf("nginx")
  t.same(Object.keys(nginx.depends_on ?? {}), processes)
  for (const [index, name] of processes.entries()) {
    const service = serviceOf(name)
    t.same(Object.keys(service.depends_on ?? {}), ["postgres"])
    const address = addressOf(service, "front")
    t.equal(nginx.extra_hosts?.[index], `${name}:${address}`)
    t.ok(nginxFile.includes(`  server ${name}:${environmentOf(name)["PARLEY_PORT"]} `), name)
    t.ok(service.volumes?.includes(`data:${imageEnvironment()["PARLEY_DATA_DIR"]}`), "one folder for files")
  }
  t.same(nginxFile.match(/\bparley\d:\d+/g)?.length, processes.length)
  for (const { depends_on = {} } of Object.values(services))
    for (const { condition } of Object.values(depends_on)) t.equal(condition, "service_healthy")
  for (const [name, { healthcheck }] of Object.entries(services))
    t.ok(healthcheck !== undefined || (name.startsWith("parley") && ofImage("HEALTHCHECK").length === 1), name)
})

t.test("volumes, networks, ports and files are those that there are", async (t) => {
  for (const [name, service] of Object.entries(services)) {
    for (const network of networksOf(service)) t.ok(network in networks, `${name}: ${network}`)
    t.equal(service.ports !== undefined, name === "nginx", `${name}: only the proxy is reached from outside`)
    t.equal(networksOf(service).includes("front"), /^(parley\d|nginx)$/.test(name), name)
    for (const file of many.filesOf(name)) t.ok(existsSync(packageFile(join("deploy", file))), file)
    for (const volume of service.volumes ?? []) {
      const [source = ""] = volume.split(":")
      t.ok(source in volumes || /^(\.\/|\$\{)/.test(source), `${name}: ${source}`)
    }
  }
  const nginx = serviceOf("nginx")
  // Whatever nginx-many.conf names is put where it looks for it.
  for (const [, path = ""] of nginxFile.matchAll(/^ *ssl_certificate(?:_key)? (\S+);/gm))
    t.equal(nginx.volumes?.filter((volume) => volume.endsWith(`:${path}:ro`)).length, 1, path)
  t.same(nginx.ports, ["443:443"])
  t.match(nginxFile, /^ {2}listen 443 ssl;$/m)
  t.ok(example.has("CHAT_CERTIFICATE") && example.has("CHAT_CERTIFICATE_KEY"))
})
