/** Reading parameters' texts: what is too long or too complex is refused before anything is parsed. */
import * as Result from "effect/Result"
import t from "tap"
import { anyLength, json, jsonOrText, type Param, seconds, text, trimmed } from "../../src/api/params.ts"
import { json as anyJson, integer, list } from "../../src/api/shapes.ts"
import type { Json } from "../../src/json.ts"
import { complexityFault, parseForeignJson } from "../../src/json.ts"

const msgOf = <A>(param: Param<A>, raw: string): string | undefined => {
  const read = param.read(raw)
  return Result.isFailure(read) ? read.failure.msg : undefined
}
const nested = (levels: number): string => `${"[".repeat(levels)}${"]".repeat(levels)}`
const many = (count: number, part: (n: number) => string): string =>
  Array.from({ length: count }, (_, n) => part(n)).join(",")

t.test("JSON is nested at most 32 deep and has at most 2,000 lists and objects, and keys", async (t) => {
  const parse = t.capture(JSON, "parse", JSON.parse)
  const value = json("value", anyJson, anyLength)
  const loose = jsonOrText("value", anyJson)
  for (const [raw, msg] of [
    [nested(33), "value is nested too deeply"],
    [nested(500_000), "value is nested too deeply"],
    ["[".repeat(500_000), "value is nested too deeply"],
    [`{"a":`.repeat(33), "value is nested too deeply"],
    [`["\\"", "\\\\", ${nested(32)}]`, "value is nested too deeply"],
    [`[${many(2000, () => "{}")}]`, "value has too many parts"],
    [`[${many(2000, () => "[]")}]`, "value has too many parts"],
    [`{${many(2001, (n) => `"${n}":0`)}}`, "value has too many parts"],
  ] as const) {
    t.equal(msgOf(value, raw), msg, raw.slice(0, 20))
    if (raw.length <= 200_000) t.equal(msgOf(loose, raw), msg, raw.slice(0, 20))
    t.equal(parseForeignJson(raw), undefined)
  }
  t.strictSame(parse(), [], "none of them was parsed")
  for (const raw of [
    nested(32),
    `[${many(1999, () => "{}")}]`,
    `{${many(2000, (n) => `"${n}":0`)}}`,
    `"${"[{:".repeat(20_000)}"`,
    `["\\"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[", "\\\\", ${nested(31)}]`,
    `[${many(100_000, () => "0")}]`,
  ]) {
    t.equal(complexityFault(raw), undefined, raw.slice(0, 20))
    t.equal(msgOf(value, raw), undefined, raw.slice(0, 20))
  }
})

t.test("a text has at most 10,000 characters and JSON 200,000, unless its parameter says otherwise", async (t) => {
  t.equal(msgOf(text("name"), "🐙".repeat(10_000)), undefined)
  t.equal(msgOf(text("name"), "🐙".repeat(10_001)), "name is too long (limit: 10000 characters)")
  t.equal(msgOf(text("name", anyLength), "a".repeat(1_000_000)), undefined)
  t.equal(msgOf(trimmed("name", { max: 3 }), ` ${" ".repeat(100_000)}abc`), undefined)
  const ids = json("ids", list(integer, 200_000))
  t.equal(msgOf(ids, `[${many(60_000, () => "10")}]`), undefined)
  t.equal(msgOf(ids, `[${many(70_000, () => "10")}]`), "ids is too long (limit: 200000 characters)")
  t.equal(msgOf(jsonOrText("to", anyJson), "a".repeat(200_001)), "to is too long (limit: 200000 characters)")
})

t.test("a text that cannot be stored is found in the depth of a value", async (t) => {
  const value = json("value", anyJson)
  const told = (each: Json) => msgOf(value, JSON.stringify(each))
  t.equal(told([{ a: ["b", "\u0000"] }]), `value[0]["a"][1] must not contain null bytes`)
  t.equal(told([{ "\u0000a": 1 }]), "value[0] must not contain null bytes", "in a name, too")
  t.equal(told({ a: [1, "b", null, true] }), undefined)
  t.equal(msgOf(value, '{"a":"\\ud800"}'), `value["a"] is not valid Unicode text`)
})

t.test("a moment has whole seconds, whatever fraction is sent", async (t) => {
  const param = seconds("at", { min: 0, max: 1e11 })
  for (const raw of ["1595479019", "1595479019.999999", "1.595479019E9", " 1595479019.0 "])
    t.strictSame(param.read(raw), Result.succeed(1_595_479_019), raw)
  const faults = { soon: "at is not an integer", "": "at is not an integer", "1e400": "at is not an integer" }
  const bounds = { "-0.5": "at is too small", "100000000000.5": "at is too large" }
  for (const [raw, msg] of Object.entries({ ...faults, ...bounds })) t.equal(msgOf(param, raw), msg, raw)
})
