/** Multipart bodies: what is read of a good one, and that every bad one is refused, quickly. */
import t from "tap"
import { readMultipart } from "../../../src/http/request/multipart.ts"
import { readBody } from "../../../src/http/request/request-fields.ts"
import { Random } from "../../events/model/random.ts"
import { ask } from "../../kit/raw-http.ts"
import { seed } from "../../kit/share.ts"
import { field, hamlet, multipart, startFixture } from "../http-fixture.ts"

t.test("malformed multipart bodies are refused quickly", async (t) => {
  const server = await startFixture()
  t.teardown(server.stop)
  const good = multipart("x", [field("a", "1"), field("b", "línea")])
  const type = "multipart/form-data; boundary=x"
  const whole = readMultipart(Buffer.from(good), type, 1000)
  t.strictSame(whole?.fields, [
    ["a", "1"],
    ["b", "línea"],
  ])
  const bad: ReadonlyArray<readonly [name: string, body: string, type: string]> = [
    ["no boundary parameter", good, "multipart/form-data"],
    ["another boundary", good, "multipart/form-data; boundary=y"],
    ["an overlong boundary", good, `multipart/form-data; boundary=${"x".repeat(71)}`],
    ["cut short", good.slice(0, -6), type],
    ["no name", multipart("x", [["Content-Disposition: form-data", "1"]]), type],
    ["no disposition", multipart("x", [["X: y", "1"]]), type],
    ["no header end", "--x\r\nContent-Disposition: form-data; name=a\r\n--x--", type],
    ["text before the first boundary on its line", `junk${good}`, type],
  ]
  for (const [name, text, contentType] of bad) {
    t.equal(readMultipart(Buffer.from(text), contentType, 1000), undefined, name)
    const headers = { ...hamlet, "Content-Type": contentType }
    const answer = await ask(server.port, { method: "POST", path: "/api/v1/echo", headers, body: text })
    t.equal(answer?.status, 400, name)
  }
  t.equal(readMultipart(Buffer.from(""), type, 1000), undefined, "empty")
  t.ok(readMultipart(Buffer.from(`preamble\r\n${good}epilogue`), type, 1000), "text around the parts is passed over")
  const random = new Random(seed)
  t.comment(`seed ${seed}`)
  for (let round = 0; round < 5000; round += 1) {
    const bytes = Buffer.from(good)
    for (let change = random.below(8); change >= 0; change -= 1) bytes[random.below(bytes.length)] = random.below(256)
    const result = readBody(bytes.subarray(random.below(4), bytes.length - random.below(4)), type)
    if (result._tag === "Failure" && result.failure.code !== "BAD_REQUEST")
      t.fail(`seed ${seed}: ${result.failure.code}`)
  }
  const long = "a".repeat(70)
  const heavy: ReadonlyArray<readonly [name: string, body: string, type: string]> = [
    [
      "near misses of the boundary",
      `--${long}\r\n${`\r\n--${"a".repeat(69)}`.repeat(14_000)}`,
      `multipart/form-data; boundary=${long}`,
    ],
    ["unended names", multipart("x", [[`Content-Disposition: form-data${'; name="'.repeat(1000)}`, ""]]), type],
    [
      "many attributes",
      multipart(
        "x",
        Array.from({ length: 120 }, () => [`Content-Disposition: form-data${"; a=b".repeat(1500)}`, ""] as const),
      ),
      type,
    ],
    ["blank lines", `--x\r\n${"\r\n".repeat(500_000)}`, type],
    ["percent escapes", "%41".repeat(349_000), "application/x-www-form-urlencoded"],
    ["ampersands", "&".repeat(1_048_000), "application/x-www-form-urlencoded"],
    ["spaces for JSON", `${" ".repeat(1_048_000)}x`, "application/json"],
  ]
  for (const [name, text, contentType] of heavy) {
    const start = performance.now()
    readBody(Buffer.from(text), contentType)
    // About 10 ms here; what grows with the square of the length takes minutes.
    t.ok(performance.now() - start < 10_000, `${name}: ${Math.round(performance.now() - start)} ms`)
  }
})
