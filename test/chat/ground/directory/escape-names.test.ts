/** A name stays a value, whatever is in it: in a filter and in a distinguished name. */
import { FilterParser } from "ldapts"
import t from "tap"
import { dnFor, filterFor, hasControls } from "../../../../src/chat/ground/directory/escape-names.ts"

const hostile = [
  "*",
  "*)(uid=*",
  ")(|(uid=*",
  "a\\29",
  "\\",
  "(",
  "a*b",
  "{name}",
  "$&",
  "ж\u{1f600}",
  "a,b=c",
  "=",
  "&",
  "!",
]

t.test("in a filter", async (t) => {
  for (const name of hostile) {
    const filter = filterFor("(&(objectClass=person)(uid={name}))", name)
    const parsed = FilterParser.parseString(filter)
    t.match(parsed, { filters: [{ attribute: "objectClass" }, { attribute: "uid", value: name }] }, filter)
    t.equal(parsed.constructor.name, "AndFilter", filter)
  }
  t.equal(filterFor("(|(uid={name})(mail={name}))", "a*"), "(|(uid=a\\2a)(mail=a\\2a))")
})

t.test("in a distinguished name", async (t) => {
  for (const [name, value] of [
    ["hamlet", "hamlet"],
    ["a,ou=x", "a\\2cou\\3dx"],
    ["a+uid=b", "a\\2buid\\3db"],
    ['\\";<>', "\\5c\\22\\3b\\3c\\3e"],
    ["#04024869", "\\2304024869"],
    [" a b ", "\\20a b\\20"],
    ["$&{name}", "$&{name}"],
    ["жук", "жук"],
  ] as const)
    t.equal(dnFor("uid={name},dc=x", name), `uid=${value},dc=x`)
})

t.test("control characters are in no name", async (t) => {
  for (const name of ["\u0000", "a\nb", "\u007f", "\u0085"]) t.ok(hasControls(name))
  t.notOk(hasControls("a b ж"))
})
