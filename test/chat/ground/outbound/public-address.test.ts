/** Only addresses of the public internet may be connected to, in whatever form they are written. */

import * as Effect from "effect/Effect"
import t from "tap"
import { findAllowedAddresses, OutboundNetwork } from "../../../../src/chat/ground/outbound/network.ts"
import { isPublicAddress } from "../../../../src/chat/ground/outbound/public-address.ts"

const inner = [
  "0.0.0.0 0.1.2.3 10.0.0.1 100.64.0.1 100.127.255.255 127.0.0.1 127.255.255.254 169.254.169.254 172.16.0.1",
  "172.31.255.255 192.0.0.1 192.0.2.1 192.88.99.1 192.168.1.1 198.18.0.1 198.51.100.1 203.0.113.1 224.0.0.1",
  "239.255.255.255 240.0.0.1 255.255.255.255 168.63.129.16",
  ":: ::1 ::127.0.0.1 ::ffff:127.0.0.1 ::ffff:8.8.8.8 ::ffff:0:127.0.0.1 64:ff9b::7f00:1 64:ff9b::808:808",
  "64:ff9b:1::7f00:1 100::1 2001::1 2001:2::1 2001:10::1 2001:20::1 2001:db8::1 2002:7f00:1:: 2002:808:808::1",
  "3fff::1 5f00::1 fc00::1 fd00::1 fe80::1 fec0::1 ff02::1 4000::1",
].flatMap((line) => line.split(" "))

t.test("addresses that are not public", async (t) => {
  for (const address of inner) t.notOk(isPublicAddress(address), address)
  for (const text of ["", "127.1", "0x7f.0.0.1", "2130706433", "far.example", "fe80::1%eth0", "8.8.8.8%1", "[::1]"])
    t.notOk(isPublicAddress(text), text)
  for (const address of ["1.1.1.1", "8.8.8.8", "172.32.0.1", "100.128.0.1", "2606:4700::1111", "2a00:1450:4001::1"])
    t.ok(isPublicAddress(address), address)
})

t.test("a URL's host is checked as the address that it stands for, and names by all of their addresses", async (t) => {
  const real = Effect.runSync(
    Effect.provide(
      Effect.gen(function* () {
        return yield* OutboundNetwork
      }),
      OutboundNetwork.layer,
    ),
  )
  const network = {
    ...real,
    resolve: async (name: string) => (name === "mixed.example" ? ["10.0.0.1", "8.8.8.8", "::1"] : ["127.0.0.1"]),
  }
  const find = (url: string) => findAllowedAddresses(network, new URL(url))
  for (const host of ["127.1", "0177.0.0.1", "0x7f000001", "2130706433", "127.0.0.1.", "0", "[::ffff:7f00:1]", "[::]"])
    t.strictSame(await find(`http://${host}/`), [], host)
  t.strictSame(await find("http://inner.example/"), [])
  t.strictSame(await find("http://mixed.example/"), ["8.8.8.8"])
  t.strictSame(await find("https://8.8.8.8/"), ["8.8.8.8"])
  t.strictSame(await find("https://[2606:4700::1111]/"), ["2606:4700::1111"])
  for (const port of [22, 25, 6379, 8080]) t.strictSame(await find(`http://8.8.8.8:${port}/`), [], `port ${port}`)
  t.strictSame(await real.resolve("localhost"), [], "a name without a dot is asked of nobody")
})
