/**
 * nginx or HAProxy in front of servers of a test, with what deploy/ has for it: only addresses, ports, paths, the user and the
 * number of connections are others, and TLS is left out. All of it is in a folder of the test, so that no rights are needed. Used
 * by the tests beside it.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { connect } from "node:net"
import { delimiter, join } from "node:path"
import { packageFile } from "../../../src/db/package-root.ts"
import { findFreePort } from "../../../src/testing/free-port.ts"
import { certificate, privateKey } from "../../kit/directory-server.ts"
import { killAtExit } from "../../kit/kill-at-exit.ts"
import { createFolder, until } from "../../kit/test-database.ts"

export type ProxyName = "nginx" | "haproxy"
export const proxies: ReadonlyArray<ProxyName> = ["nginx", "haproxy"]

const configOf = { nginx: "deploy/nginx-many.conf", haproxy: "deploy/haproxy.cfg" } as const

/** The servers that both configurations name. */
export const namedServers = ["parley1:9991", "parley2:9992", "parley3:9993"] as const

export const readDeployed = (name: string): string => readFileSync(packageFile(name), "utf8")

const folders = [...(process.env["PATH"] ?? "").split(delimiter), "/usr/sbin", "/usr/local/sbin"]

const programOf = (proxy: ProxyName): string | undefined =>
  folders.map((folder) => join(folder, proxy)).find((file) => existsSync(file))

/** Why tests with it are passed over; false: they are not. */
export const without = (proxy: ProxyName): string | false =>
  programOf(proxy) === undefined && `${proxy} is not installed: apt-get install ${proxy}`

interface Places {
  readonly folder: string
  readonly port: number
  /** Of the second server of nginx-many.conf. */
  readonly innerPort: number
  readonly servers: ReadonlyArray<number>
  /** Absent: what comes is not encrypted. */
  readonly isTls?: boolean
}

/** What is not there is not replaced: the test has to follow the file. */
const replace = (text: string, pattern: RegExp, by: string): string => {
  if (!pattern.test(text)) throw new Error(`there is no ${pattern} any more`)
  return text.replace(pattern, by)
}

const withServers = (text: string, servers: ReadonlyArray<number>): string =>
  namedServers.reduce(
    (sofar, name, index) => replace(sofar, new RegExp(`\\b${name}\\b`, "g"), `127.0.0.1:${servers[index]}`),
    text,
  )

/** What Debian's nginx.conf has around a site, for one process without a master. */
const aroundSite = (folder: string, site: string): string => `
daemon off;
master_process off;
pid ${folder}/nginx.pid;
events { worker_connections 500; }
http {
access_log off;
client_body_temp_path ${folder}/body;
proxy_temp_path ${folder}/proxy;
fastcgi_temp_path ${folder}/fastcgi;
uwsgi_temp_path ${folder}/uwsgi;
scgi_temp_path ${folder}/scgi;
${site}
}
`

const nginxConfig = ({ folder, port, innerPort, servers, isTls = false }: Places): string => {
  let site = withServers(readDeployed(configOf.nginx), servers)
  site = replace(site, /\blisten 443 ssl;/, `listen 127.0.0.1:${port}${isTls ? " ssl" : ""};`)
  site = replace(site, /\blisten \[::\]:443 ssl;/, "")
  site = replace(site, /127\.0\.0\.1:9980\b/g, `127.0.0.1:${innerPort}`)
  site = replace(site, /ssl_certificate \S+;/, isTls ? `ssl_certificate ${folder}/certificate.pem;` : "")
  site = replace(site, /ssl_certificate_key \S+;/, isTls ? `ssl_certificate_key ${folder}/key.pem;` : "")
  return aroundSite(folder, site)
}

const haproxyConfig = ({ folder, port, servers, isTls = false }: Places): string => {
  let config = withServers(readDeployed(configOf.haproxy), servers)
  config = replace(config, / {2}log \/dev\/log local0\n/, "  log stderr format raw local0\n")
  config = replace(config, / {2}user haproxy\n {2}group haproxy\n {2}chroot \S+\n/, "")
  config = replace(config, /\/run\/haproxy\/admin\.sock/, join(folder, "admin.sock"))
  config = replace(config, /^global\n/m, "global\n  maxconn 300\n")
  config = replace(config, /bind \[::\]:443 .*/, "")
  return replace(config, /bind :443 .*/, `bind 127.0.0.1:${port}${isTls ? ` ssl crt ${folder}/both.pem` : ""}`)
}

const write = (
  proxy: ProxyName,
  places: Places,
): { readonly program: string; readonly args: ReadonlyArray<string> } => {
  const program = programOf(proxy)
  if (program === undefined) throw new Error(`${proxy} is not installed`)
  const { folder } = places
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, "certificate.pem"), certificate)
  writeFileSync(join(folder, "key.pem"), privateKey)
  writeFileSync(join(folder, "both.pem"), `${certificate}\n${privateKey}`)
  const file = join(folder, "proxy.conf")
  writeFileSync(file, proxy === "nginx" ? nginxConfig(places) : haproxyConfig(places))
  return { program, args: proxy === "nginx" ? ["-e", "stderr", "-p", folder, "-c", file] : ["-f", file] }
}

type Teardown = Parameters<typeof createFolder>[0]

/** What the program says of the file, with TLS. */
export const checkConfig = async (
  t: Teardown,
  proxy: ProxyName,
): Promise<{ readonly status: number | null; readonly said: string }> => {
  const [folder, port, innerPort] = [await createFolder(t), await findFreePort(), await findFreePort()]
  const { program, args } = write(proxy, { folder, port, innerPort, servers: [1, 2, 3], isTls: true })
  const { status, stdout, stderr } = spawnSync(program, [proxy === "nginx" ? "-t" : "-c", ...args], {
    encoding: "utf8",
  })
  return { status, said: `${stdout}${stderr}` }
}

const takesConnections = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1")
    socket.once("connect", () => {
      socket.destroy()
      resolve(true)
    })
    socket.once("error", () => resolve(false))
  })

const end = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, "exit")
  child.kill("SIGTERM")
  await ended
}

export interface FrontProxy {
  readonly port: number
  /** Where HAProxy takes commands. */
  readonly commands: string
  readonly said: () => string
  readonly end: () => Promise<void>
}

/** Starts it in front of three ports of this machine; the test's end ends it. */
export const startFront = async (
  t: Teardown,
  proxy: ProxyName,
  servers: ReadonlyArray<number>,
): Promise<FrontProxy> => {
  const [folder, port, innerPort] = [await createFolder(t), await findFreePort(), await findFreePort()]
  const { program, args } = write(proxy, { folder, port, innerPort, servers })
  const child = spawn(program, [...(proxy === "nginx" ? [] : ["-db"]), ...args], { stdio: ["ignore", "pipe", "pipe"] })
  killAtExit(child, "SIGTERM")
  let said = ""
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (bytes: Buffer) => {
      said += bytes.toString("utf8")
    })
  t.teardown(() => end(child))
  await until(`${proxy} listens`, 5_000, () => {
    if (child.exitCode !== null) throw new Error(`${proxy} ended: ${said}`)
    return takesConnections(port)
  })
  return { port, commands: join(folder, "admin.sock"), said: () => said, end: () => end(child) }
}
