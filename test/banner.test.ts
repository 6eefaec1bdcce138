/** The first line that a server prints: an address that can be opened. */
import t from "tap"
import { isForPeople, listening } from "../src/banner.ts"

t.test("an address that stands for all is never printed as one to open", (t) => {
  const all = ", and on all other addresses of this machine"
  const cases: ReadonlyArray<readonly [string, string, string]> = [
    ["127.0.0.1", "http://127.0.0.1:99", ""],
    ["chat.example.org", "http://chat.example.org:99", ""],
    ["192.168.0.10", "http://192.168.0.10:99", ""],
    ["::1", "http://[::1]:99", ""],
    ["fe80::1%eth0", "http://[fe80::1%eth0]:99", ""],
    ["0.0.0.0", "http://127.0.0.1:99", all],
    ["::", "http://[::1]:99", all],
    ["0:0:0:0:0:0:0:0", "http://[::1]:99", all],
    ["::ffff:0.0.0.0", "http://127.0.0.1:99", all],
  ]
  for (const [host, address, others] of cases) {
    t.same(
      listening({ host, externalUrl: null }, 99),
      { address, line: `Parley listens on ${address}${others}\n` },
      host,
    )
  }
  const externalUrl = "https://chat.example.org"
  t.same(listening({ host: "0.0.0.0", externalUrl }, 99), {
    address: externalUrl,
    line: `Parley listens on http://127.0.0.1:99 for ${externalUrl}${all}\n`,
  })
  t.end()
})

t.test("in production only a terminal gets the banner", (t) => {
  t.equal(isForPeople({ mode: "development" }, false), true)
  t.equal(isForPeople({ mode: "production" }, false), false)
  t.equal(isForPeople({ mode: "production" }, true), true)
  t.end()
})
