/**
 * deploy/nginx-many.conf and deploy/haproxy.cfg, read: the programs take them, what they have of nginx.conf is the same, and times
 * and sizes in them fit those of the server.
 */
import t from "tap"
import { endpoints } from "../../../src/chat/features.ts"
import { defaultLimits } from "../../../src/config/config.ts"
import { limitBounds } from "../../../src/config/limit-bounds.ts"
import { allSettings } from "../../../src/config/settings.ts"
import { checkConfig, namedServers, proxies, readDeployed, without } from "./front-proxy.ts"

type Lines = ReadonlyArray<string>

const linesOf = (text: string): Lines =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"))

const single = linesOf(readDeployed("deploy/nginx.conf"))
const nginx = linesOf(readDeployed("deploy/nginx-many.conf"))
const haproxy = linesOf(readDeployed("deploy/haproxy.cfg"))

/** The lines in each block of nginx that begins so. */
const blocksOf = (lines: Lines, head: string): ReadonlyArray<Lines> =>
  lines.flatMap((line, at) => {
    if (line !== `${head} {`) return []
    const rest = lines.slice(at + 1)
    return [rest.slice(0, rest.indexOf("}"))]
  })

/** The lines of a section of HAProxy, whose first words are known. */
const sectionOf = (name: string): Lines => {
  const rest = haproxy.slice(haproxy.indexOf(name) + 1)
  const end = rest.findIndex((line) => /^(global|defaults|frontend|backend)\b/.test(line))
  return end < 0 ? rest : rest.slice(0, end)
}

/** What follows the name, in the only line that begins by it. */
const textOf = (lines: Lines, name: string): string => {
  const found = lines.filter((line) => line.startsWith(`${name} `))
  const [line = ""] = found
  if (found.length !== 1) throw new Error(`${found.length} lines begin with ${name}`)
  return line.slice(name.length + 1).replace(/;$/, "")
}

const secondsOf = (lines: Lines, name: string): number => {
  const [, seconds] = /^(\d+)s$/.exec(textOf(lines, name)) ?? []
  return Number(seconds)
}

/** Seconds for which a process that ends goes on answering while `/ready` is 503 (PARLEY_LEAVE_SECONDS). */
const leaveSeconds = 5
/** Seconds after which a server closes a connection on which nobody asks: a number of uWebSockets.js. */
const idleSeconds = 10

/** The longest for which a connection is silent while all is well: polls, sockets, bodies, searches. */
const longestSilence = Math.max(
  limitBounds.pollHoldSeconds.max,
  limitBounds.heartbeatMaxSeconds.max,
  defaultLimits.requestBodySeconds,
  defaultLimits.readSeconds,
)

for (const proxy of proxies)
  t.test(`${proxy} takes its file`, { skip: without(proxy) }, async (t) => {
    const { status, said } = await checkConfig(t, proxy)
    t.equal(status, 0, said)
    t.notMatch(said, /warn/i)
  })

t.test("nginx-many.conf has what nginx.conf has", async (t) => {
  const [ofSingle = []] = blocksOf(single, "location /")
  const [outer = [], inner = []] = blocksOf(nginx, "location /")
  t.equal(blocksOf(nginx, "location /").length, 2)
  for (const line of ofSingle.filter((line) => !line.startsWith("proxy_pass"))) t.ok(outer.includes(line), line)
  for (const line of ofSingle.filter((line) => /_(timeout|buffering|http_version) |Host /.test(line)))
    t.ok(inner.includes(line), line)
  for (const name of ["proxy_connect_timeout", "proxy_next_upstream"]) t.equal(textOf(inner, name), textOf(outer, name))
  const sizes = nginx.filter((line) => line.startsWith("client_max_body_size"))
  t.same(sizes, ["client_max_body_size 0;", "client_max_body_size 0;"], "the server has limits of its own")
  t.ok(single.includes(sizes[0] ?? ""))
  const [map = []] = blocksOf(single, "map $http_upgrade $parley_connection")
  t.same(blocksOf(nginx, "map $http_upgrade $parley_connection"), [map])
  for (const line of single.filter((line) => /^(listen|server_name|ssl_\w+) /.test(line)))
    t.ok(nginx.includes(line), line)
})

t.test("nginx: no method of an endpoint is repeated but GET", async (t) => {
  // Those that nginx itself does not repeat, once they were sent.
  const safe = new Set(["POST", "PATCH"])
  const [ways = []] = blocksOf(nginx, "map $request_method $parley_way")
  const [methods = []] = blocksOf(nginx, "map $request_method $parley_method")
  const detours = ways.filter((line) => line.endsWith(" parley_once;")).map((line) => line.split(" ")[0])
  for (const method of new Set(endpoints.map(({ method }) => method)))
    if (method !== "GET") t.equal(detours.includes(method), !safe.has(method), method)
  t.same(
    methods.filter((line) => line.endsWith(" POST;")).map((line) => line.split(" ")[0]),
    detours,
  )
  for (const location of blocksOf(nginx, "location /"))
    t.equal(textOf(location, "proxy_next_upstream"), "error timeout")
})

t.test("times of nginx fit those of the server", async (t) => {
  for (const location of blocksOf(nginx, "location /"))
    for (const name of ["proxy_read_timeout", "proxy_send_timeout"])
      t.ok(secondsOf(location, name) > longestSilence, name)
  const [upstream = []] = blocksOf(nginx, "upstream parley")
  t.ok(secondsOf(upstream, "keepalive_timeout") < Math.min(leaveSeconds, idleSeconds))
  const [alone = []] = blocksOf(single, "upstream parley")
  t.ok(secondsOf(alone, "keepalive_timeout") < idleSeconds, "of one process")
  t.same(
    upstream.filter((line) => line.startsWith("server ")),
    namedServers.map((name) => `server ${name} max_fails=0;`),
  )
})

t.test("times and rules of HAProxy fit those of the server", async (t) => {
  const defaults = sectionOf("defaults")
  for (const name of ["timeout client", "timeout server", "timeout tunnel"])
    t.ok(secondsOf(defaults, name) > longestSilence, name)

  const [ready, alive] = [sectionOf("backend parley"), sectionOf("backend parley_alive")]
  t.same(
    alive.map((line) => line.replace(" /health ", " /ready ")),
    ready,
    "they differ in what they ask",
  )
  const [, inter, fall] = /^check inter (\d+)s fall (\d+) rise 1$/.exec(textOf(ready, "default-server")) ?? []
  t.ok(Number(inter) * (Number(fall) + 1) < leaveSeconds, "one that leaves is seen in time")
  t.equal(textOf(ready, "retry-on"), "conn-failure empty-response")
  t.equal(textOf(ready, "http-request"), "disable-l7-retry if !METH_GET", "what was sent is repeated for GET only")
  t.same(
    ready.filter((line) => line.startsWith("server ")).map((line) => line.split(" ")[2]),
    namedServers,
  )
})

t.test("a process leaves for as long as is taken here", async (t) => {
  const setting = allSettings.find(({ env }) => env === "PARLEY_LEAVE_SECONDS")
  if (setting === undefined) return t.comment("it does not leave yet")
  t.match(setting.defaultText, new RegExp(`\\b${leaveSeconds}\\b`))
})
