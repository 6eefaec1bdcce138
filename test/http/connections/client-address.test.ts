/** The address that a request is counted on, behind proxies and without. */
import t from "tap"
import { makeClientAddresses } from "../../../src/http/connections/client-address.ts"

t.test("the address that a request is counted under", async (t) => {
  const behind = makeClientAddresses(["127.0.0.1", "10.0.0.0/8", "fd00::/8"]).find
  const table: ReadonlyArray<readonly [peer: string, forwarded: string, key: string]> = [
    ["192.0.2.1", "", "192.0.2.1"],
    ["192.0.2.1", "198.51.100.7", "192.0.2.1"],
    ["127.0.0.1", "", "127.0.0.1"],
    ["127.0.0.1", "198.51.100.7", "198.51.100.7"],
    ["127.0.0.1", "6.6.6.6, 198.51.100.7", "198.51.100.7"],
    ["127.0.0.1", "6.6.6.6,198.51.100.7 , 10.1.2.3", "198.51.100.7"],
    ["127.0.0.1", "10.9.9.9", "10.9.9.9"],
    ["127.0.0.1", "198.51.100.7:4711", "198.51.100.7"],
    ["127.0.0.1", "garbage", "127.0.0.1"],
    ["127.0.0.1", "198.51.100.7, unknown, 10.1.2.3", "10.1.2.3"],
    ["127.0.0.1", ",,", "127.0.0.1"],
    ["127.0.0.1", `6.6.6.6${", 10.0.0.1".repeat(5000)}`, "10.0.0.1"],
    ["0000:0000:0000:0000:0000:ffff:7f00:0001", "198.51.100.7", "198.51.100.7"],
    ["0000:0000:0000:0000:0000:ffff:c000:0201", "", "192.0.2.1"],
    ["2001:0db8:0001:0002:0003:0004:0005:0006", "", "2001:db8:1:2::/64"],
    ["2001:db8:1:2::9", "", "2001:db8:1:2::/64"],
    ["2001:db8::", "", "2001:db8:0:0::/64"],
    ["::1", "", "0:0:0:0::/64"],
    ["fd00::1", "2001:db8:1:2:3::4", "2001:db8:1:2::/64"],
    ["fd00::1", "[2001:db8:1:2::4]:443", "2001:db8:1:2::/64"],
    ["fd00::1", "::ffff:198.51.100.7", "198.51.100.7"],
    ["fd00::1", "64:ff9b::198.51.100.7", "64:ff9b:0:0::/64"],
    ["", "198.51.100.7", ""],
  ]
  for (const [peer, forwarded, key] of table) t.equal(behind(peer, forwarded), key, `${peer} ${forwarded.slice(0, 40)}`)
  t.equal(makeClientAddresses([]).find("127.0.0.1", "198.51.100.7"), "127.0.0.1", "nobody is trusted unasked")
})

t.test("proxies, and what is near", async (t) => {
  const { isProxy, isNear, find } = makeClientAddresses(["192.0.2.1", "10.0.0.0/8", "fd00::1"])
  for (const peer of ["192.0.2.1", "10.9.8.7", "::ffff:10.9.8.7", "fd00::1"]) {
    t.ok(isProxy(peer), peer)
    t.ok(isNear(find(peer, "")), peer)
  }
  for (const peer of ["192.0.2.2", "fd00:1::1", ""]) {
    t.notOk(isProxy(peer), peer)
    t.notOk(isNear(find(peer, "")), peer)
  }
  for (const peer of ["127.0.0.1", "127.1.2.3", "::1"]) {
    t.notOk(isProxy(peer), peer)
    t.ok(isNear(find(peer, "")), peer)
  }
  t.notOk(makeClientAddresses([]).isProxy("127.0.0.1"))
})
