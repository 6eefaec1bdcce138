/** Attacks by somebody without an account, from forty addresses. */
import { type Attack, stranger } from "../kit.ts"
import { nestedJson, request, signIn } from "../requests.ts"
import { host } from "../target.ts"
import { drip, holdOpen } from "./connections.ts"

const attack = (name: string, about: string, run: Attack["run"]): Attack => ({ name, who: "nobody", about, run })

const raw = (...lines: ReadonlyArray<string>): Buffer => Buffer.from(`${lines.join("\r\n")}\r\n\r\n`)
const form = "Content-Type: application/x-www-form-urlencoded"

/** Requests that HTTP forbids, or that proxies read in another way than servers. */
const oddFraming: ReadonlyArray<Buffer> = [
  Buffer.concat([
    raw("POST /api/v1/register HTTP/1.1", `Host: ${host}`, form, "Content-Length: 3", "Content-Length: 30"),
    Buffer.from("a=bGET /health HTTP/1.1\r\n"),
  ]),
  Buffer.concat([
    raw("POST /api/v1/register HTTP/1.1", `Host: ${host}`, form, "Transfer-Encoding: chunked"),
    Buffer.from("3\r\na=b\r\n0\r\n\r\nGET /health HTTP/1.1\r\nHost: other.example\r\n\r\n"),
  ]),
  Buffer.concat([
    raw("POST /api/v1/register HTTP/1.1", `Host: ${host}`, form, "Transfer-Encoding: gzip, chunked"),
    Buffer.from("ffffffff\r\n"),
  ]),
  raw("GET /api/v1/server_settings HTTP/1.1", `Host: ${"a.".repeat(500)}example`),
  raw("GET /api/v1/server_settings HTTP/1.1", "Host: unknown.example"),
  raw("GET /api/v1/server_settings HTTP/1.1", `Host: ${host}`, `X-Padding: ${"x".repeat(60_000)}`),
]

const badKeys: ReadonlyArray<Buffer> = [
  "Basic",
  `Basic ${"A".repeat(40_000)}`,
  `Basic ${Buffer.from(`reader1@bench.example:${"k".repeat(32)}`).toString("base64")}`,
  "Bearer \u00ff\u00fe",
].map((value) => request("GET", "/api/v1/users/me", { headers: [`Authorization: ${value}`] }))

const health = request("GET", "/health")

/** All but the last byte comes. */
const unfinished = Buffer.concat([
  raw("POST /api/v1/register HTTP/1.1", `Host: ${host}`, form, "Content-Length: 1000001"),
  Buffer.alloc(1_000_000, "a"),
])

export const nobodyAttacks: ReadonlyArray<Attack> = [
  attack("nobody-nested", "JSON nested 500,000 deep, 4 at once", async (kit) => {
    const nested = nestedJson()
    await kit.repeat(4, () => nested, { from: stranger })
  }),
  attack("nobody-keys", "garbage in Authorization, 8 at once", async (kit) => {
    await kit.repeat(8, (n) => badKeys[n % badKeys.length] ?? health, { from: stranger })
  }),
  attack(
    "nobody-framing",
    "two Content-Length, odd Transfer-Encoding, unknown and long hosts, 8 at once",
    async (kit) => {
      await kit.repeat(8, (n) => oddFraming[n % oddFraming.length] ?? health, { from: stranger })
    },
  ),
  attack("nobody-health", "600 connections that ask /health again as soon as they are answered", async (kit) => {
    holdOpen(kit, 600, health, { answered: (wire) => wire.write(health) })
    await kit.last()
  }),
  attack("nobody-bodies", "1,500 bodies of 1 MB that lack their last byte", async (kit) => {
    holdOpen(kit, 1500, unfinished)
    await kit.last()
  }),
  attack("nobody-drip", "200 heads and 200 bodies that come a byte a second", async (kit) => {
    drip(kit, 200, `GET /health HTTP/1.1\r\nHost: ${host}\r\nX-Slow: `)
    drip(kit, 200, `${raw("POST /api/v1/register HTTP/1.1", `Host: ${host}`, form, "Content-Length: 1000000")}`)
    await kit.last()
  }),
  attack("nobody-idle", "2,000 connections that say nothing", async (kit) => {
    holdOpen(kit, 2000, null)
    await kit.last()
  }),
  attack("nobody-guesses", "guesses of passwords, 8 at once", async (kit) => {
    await kit.repeat(8, signIn, { from: stranger })
  }),
]
