/**
 * deploy/compose.yaml, read: what it names is there, and the settings of its server are accepted by the program itself, in which a
 * variable that begins with PARLEY_ and is no setting refuses a start.
 */
import { join } from "node:path"
import * as Result from "effect/Result"
import t from "tap"
import { readCommand } from "../../src/config/read-settings.ts"
import { allSettings } from "../../src/config/settings.ts"
import { askedIn, example, filled, networksOf, readCompose, readText } from "./compose-file.ts"
import { imageEnvironment, ofImage } from "./dockerfile.ts"

const { text, services, volumes, networks, serviceOf, environmentOf } = readCompose("deploy/compose.yaml")
const serverEnvironment = () => environmentOf("parley")

t.test("each variable of Parley is a setting, and together they are accepted", async (t) => {
  const known = new Set(allSettings.map(({ env }) => env))
  const told = [...text.matchAll(/\bPARLEY_\w+/g), ...readText("deploy/compose.env.example").matchAll(/\bPARLEY_\w+/g)]
  const named = new Set([...told.map(([name]) => name), ...Object.keys(imageEnvironment())])
  for (const name of named) if (name.startsWith("PARLEY_")) t.ok(known.has(name), name)

  const command = readCommand(serverEnvironment(), [])
  if (Result.isFailure(command)) return void t.fail(command.failure.message)
  t.match(command.success, {
    _tag: "Serve",
    settings: {
      mode: "production",
      host: "0.0.0.0",
      port: 9991,
      externalUrl: "https://chat.example.com",
      secret: filled.get("PARLEY_SECRET"),
      dataFolder: "/data",
      database: { kind: "postgres" },
      trustedProxies: networks["front"]?.ipam?.config.map(({ subnet }) => subnet),
    },
  })
  const misspelt = readCommand({ ...serverEnvironment(), PARLEY_PORTS: "1" }, [])
  t.ok(Result.isFailure(misspelt), "another variable would be refused")
})

t.test("secrets stand in the file of the environment only, and a start without them is refused", async (t) => {
  const asked = new Set([...askedIn(text), ...askedIn(readText("deploy/compose-many.yaml"))])
  t.same([...asked].sort(), [...example.keys()].sort())
  t.equal(text.match(/\$\{/g)?.length, text.match(/\$\{\w+:\?\}/g)?.length, "no variable has a default")
  for (const name of ["PARLEY_SECRET", "POSTGRES_PASSWORD"]) t.equal(example.get(name), "", name)
  t.equal(serviceOf("parley").env_file, ".env")
  for (const file of [".gitignore", "deploy/Dockerfile.dockerignore"])
    t.match(readText(file), /^(\*\*\/)?\.env$/m, file)
  t.equal(serviceOf("postgres").environment?.["POSTGRES_PASSWORD"], `\${POSTGRES_PASSWORD:?}`)
  const { username, password, hostname, port, pathname } = new URL(serverEnvironment()["DATABASE_URL"] ?? "")
  const database = serviceOf("postgres").environment ?? {}
  t.same(
    [username, password, hostname, port, pathname],
    [database["POSTGRES_USER"], filled.get("POSTGRES_PASSWORD"), "postgres", "5432", `/${database["POSTGRES_DB"]}`],
  )
})

t.test("services wait for those that they need, which say when they are well", async (t) => {
  t.same(Object.keys(services), ["postgres", "parley", "caddy"])
  t.same(Object.keys(serviceOf("parley").depends_on ?? {}), ["postgres"])
  t.same(Object.keys(serviceOf("caddy").depends_on ?? {}), ["parley"])
  for (const [name, { depends_on = {}, healthcheck }] of Object.entries(services)) {
    for (const { condition } of Object.values(depends_on)) t.equal(condition, "service_healthy", name)
    const says = healthcheck === undefined ? ofImage("HEALTHCHECK").length === 1 : healthcheck.test.length > 1
    t.ok(says && (healthcheck !== undefined || name === "parley"), name)
  }
})

t.test("volumes, networks, ports and files are those that there are", async (t) => {
  const files = new Set<string>()
  for (const [name, service] of Object.entries(services)) {
    for (const volume of service.volumes ?? []) {
      const [source = ""] = volume.split(":")
      if (source.startsWith("./")) files.add(source)
      else t.ok(source in volumes, `${name}: ${source}`)
    }
    for (const network of networksOf(service)) t.ok(network in networks, `${name}: ${network}`)
    t.equal(service.ports !== undefined, name === "caddy", `${name}: only the proxy is reached from outside`)
  }
  t.same([...files], ["./Caddyfile"])
  t.same(serviceOf("parley").build, { context: "..", dockerfile: "deploy/Dockerfile" })
  t.ok(serviceOf("parley").volumes?.includes(`data:${imageEnvironment()["PARLEY_DATA_DIR"]}`))
  t.same(ofImage("VOLUME"), [imageEnvironment()["PARLEY_DATA_DIR"]])
  t.notOk(networksOf(serviceOf("postgres")).includes("front"), "the database is not beside the proxy")

  const caddy = serviceOf("caddy").environment ?? {}
  const caddyfile = readText(join("deploy", "Caddyfile"))
  for (const name of Object.keys(caddy)) t.ok(caddyfile.includes(`{$${name}:`), name)
  t.equal(caddy["CHAT_SERVER"], `parley:${serverEnvironment()["PARLEY_PORT"]}`)
  t.same(ofImage("EXPOSE"), ["9991"])
})
