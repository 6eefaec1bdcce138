/** What an operator has opened to outgoing webhooks: by the address that is connected to, and nothing of a cloud's own by accident. */
import t from "tap"
import { allowedTargets, noTargets } from "../../../../src/chat/ground/outbound/allowed-targets.ts"
import {
  findAllowedAddresses,
  mayCall,
  type OutboundNetworkShape,
  publicPorts,
} from "../../../../src/chat/ground/outbound/network.ts"
import { isPublicAddress } from "../../../../src/chat/ground/outbound/public-address.ts"
import { loopbackEntries, readAllowEntry, writtenEntries } from "../../../../src/config/outgoing-allow.ts"

const machine = loopbackEntries.flatMap(writtenEntries).join()

const names = new Map<string, ReadonlyArray<string>>([
  ["builds.corp.example", ["10.1.2.3", "fd12::1"]],
  ["deep.builds.corp.example", ["10.1.2.4"]],
  ["meta.corp.example", ["169.254.169.254", "10.1.2.5"]],
  ["mapped.corp.example", ["64:ff9b::a9fe:a9fe", "2002:a9fe:a9fe::1", "::ffff:169.254.169.254"]],
  ["public.example", ["8.8.8.8"]],
  ["bot", ["10.9.9.9"]],
])

const network = () => {
  const asked: Array<string> = []
  const shape: OutboundNetworkShape = {
    resolve: async (name, isNamed = false) => {
      asked.push(name)
      return isNamed || name.includes(".") ? (names.get(name.replace(/\.$/, "")) ?? []) : []
    },
    mayConnect: (address, port) => publicPorts.has(port) && isPublicAddress(address),
    ports: publicPorts,
  }
  return { asked, shape }
}

const entriesOf = (list: string) => list.split(",").flatMap((entry) => readAllowEntry(entry) ?? [])
const find = (list: string, url: string) =>
  findAllowedAddresses(network().shape, new URL(url), allowedTargets(entriesOf(list)))

t.test("names, addresses and nets, each at its ports", async (t) => {
  const rows: ReadonlyArray<[list: string, url: string, found: ReadonlyArray<string>]> = [
    ["10.1.2.3", "http://10.1.2.3/", ["10.1.2.3"]],
    ["10.1.2.3", "https://10.1.2.3/", ["10.1.2.3"]],
    ["10.1.2.3", "http://10.1.2.3:8080/", []],
    ["10.1.2.3:8080", "http://10.1.2.3:8080/", ["10.1.2.3"]],
    ["10.1.2.3:8080", "http://10.1.2.3/", []],
    ["10.1.0.0/16:8000-8999", "http://10.1.255.1:8999/", ["10.1.255.1"]],
    ["10.1.0.0/16:8000-8999", "http://10.2.0.1:8999/", []],
    ["10.1.0.0/16:8000-8999", "http://10.1.255.1:9000/", []],
    ["10.1.2.3", "http://0xa.0x1.0x2.0x3/", ["10.1.2.3"]],
    ["10.1.2.3", "http://[::ffff:10.1.2.3]/", ["::ffff:a01:203"]],
    ["fd00:0::1", "http://[fd00::1]/", ["fd00::1"]],
    ["[fd00::/8]:81", "http://[fd12::1]:81/", ["fd12::1"]],
    ["10.0.0.0/8,fd00::/8", "http://builds.corp.example/", ["10.1.2.3", "fd12::1"]],
    ["10.0.0.0/8", "http://builds.corp.example/", ["10.1.2.3"]],
    ["builds.corp.example:8080", "http://Builds.corp.example:8080/", ["10.1.2.3", "fd12::1"]],
    ["builds.corp.example:8080", "http://builds.corp.example.:8080/", ["10.1.2.3", "fd12::1"]],
    ["builds.corp.example", "http://deep.builds.corp.example/", []],
    ["builds.corp.example", "http://10.1.2.3/", []],
    ["*.corp.example", "http://deep.builds.corp.example/", ["10.1.2.4"]],
    ["*.corp.example", "http://builds.corp.example/", ["10.1.2.3", "fd12::1"]],
    ["*.builds.corp.example", "http://builds.corp.example/", []],
    ["*.orp.example", "http://builds.corp.example/", []],
    ["bot", "http://bot/", ["10.9.9.9"]],
    ["10.0.0.0/8", "http://bot/", []],
    ["public.example:8443", "https://public.example:8443/", ["8.8.8.8"]],
    ["bot", "https://public.example/", ["8.8.8.8"]],
    ["localhost:81", "http://localhost:81/", ["127.0.0.1", "::1"]],
    ["127.0.0.1:81", "http://localhost:81/", ["127.0.0.1"]],
    [machine, "http://localhost:9/", ["127.0.0.1", "::1"]],
    [machine, "http://127.8.8.8:9/", ["127.8.8.8"]],
    [machine, "http://10.0.0.1/", []],
  ]
  for (const [list, url, found] of rows) t.strictSame(await find(list, url), found, `${list} ${url}`)
})

t.test("a cloud's own addresses are open only where one is named itself", async (t) => {
  const all = "0.0.0.0/0:1-65535,[::/0]:1-65535,169.254.0.0/16,169.254.169.254/32,*.corp.example,meta.corp.example"
  for (const host of [
    "169.254.169.254",
    "169.254.170.2",
    "168.63.129.16",
    "100.100.100.200",
    "[fd00:ec2::254]",
    "[::ffff:169.254.169.254]",
    "[64:ff9b::a9fe:a9fe]",
    "[2002:a9fe:a9fe::]",
  ])
    t.strictSame(await find(all, `http://${host}/`), [], host)
  t.strictSame(await find(all, "http://meta.corp.example/"), ["10.1.2.5"])
  t.strictSame(await find(all, "http://mapped.corp.example/"), [])
  t.strictSame(await find("169.254.169.254", "http://169.254.169.254/"), ["169.254.169.254"])
  t.strictSame(await find("169.254.169.254", "http://meta.corp.example/"), ["169.254.169.254"])
  t.strictSame(await find("169.254.169.254", "http://169.254.170.2/"), [])
  t.strictSame(await find("[fd00:ec2::254]:80", "http://[fd00:ec2:0::254]/"), ["fd00:ec2::254"])
})

t.test("nothing is opened to what is no call of a program", async (t) => {
  const { shape, asked } = network()
  for (const url of ["http://10.1.2.3/", "http://builds.corp.example/", "http://localhost/", "http://bot/"])
    t.strictSame(await findAllowedAddresses(shape, new URL(url)), [], url)
  t.strictSame(await findAllowedAddresses(shape, new URL("http://public.example/"), noTargets), ["8.8.8.8"])
  t.strictSame(asked, ["builds.corp.example", "localhost", "bot", "public.example"])
})

t.test("when a bot is made: only what is certain is refused, and no name server is asked in vain", async (t) => {
  const { shape, asked } = network()
  const may = (list: string, url: string) => mayCall(shape, new URL(url), allowedTargets(entriesOf(list)))
  for (const [list, url, expected] of [
    ["", "https://public.example/", true],
    ["", "https://8.8.8.8/", true],
    ["", "https://8.8.8.8:8443/", false],
    ["", "http://10.1.2.3/", false],
    ["", "http://127.0.0.1:8000/", false],
    ["", "http://builds.corp.example/", false],
    ["", "http://nobody.example/", true],
    ["10.1.2.3", "http://builds.corp.example/", true],
    ["builds.corp.example", "http://builds.corp.example/", true],
    ["meta.corp.example", "http://meta.corp.example/", true],
    ["169.254.0.0/16", "http://169.254.169.254/", false],
    ["10.0.0.0/8:9000", "http://nobody.example:9000/", true],
  ] as const)
    t.equal(await may(list, url), expected, `${list} ${url}`)
  asked.length = 0
  t.equal(await may("", "http://public.example:8080/"), false)
  t.equal(await may("builds.corp.example:9000", "http://public.example:9000/"), false)
  t.strictSame(asked, [], "the port alone decides")
})
