/**
 * Pictures of people: 10,000 asked for at once, drawn and uploaded ones, and how long other requests wait while images are
 * uploaded one after the other, hostile ones among them. The server is a process of its own.
 */
import { crc32, deflateSync } from "node:zlib"
import { Agent, request } from "undici"
import { startServer } from "../../src/testing/index.ts"
import type { Row, Scenario } from "../scenario.ts"

const pictures = 10_000
const atOnce = 100
const uploads = 30
/** Requests that are measured while nothing else is done, and as many before that are not. */
const asked = 500
const limitMilliseconds = 15

const chunk = (type: string, data: Uint8Array): Buffer => {
  const body = Buffer.concat([Buffer.from(type), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}

/** A photo's worth of pixels as PNG; `rows` of them really there. */
const png = (width: number, height: number, rows = height): Buffer => {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 2, 0, 0, 0], 8)
  const pixels = Buffer.from(
    Uint8Array.from({ length: rows * (1 + width * 3) }, (_, n) => (n % (1 + width * 3) ? n : 0)),
  )
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10]),
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(pixels)),
    chunk("IEND", Buffer.alloc(0)),
  ])
}

const figures = (milliseconds: ReadonlyArray<number>): Row["figures"] => {
  const sorted = [...milliseconds].sort((a, b) => a - b)
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN
  return { "p50 ms": at(0.5), "p99 ms": at(0.99), "longest ms": at(1) }
}

export const faces: Scenario = {
  name: "faces",
  about: `${pictures} drawn pictures, then one uploaded ${pictures} times, ${atOnce} at once; /health asked all the time while images are uploaded`,
  targets: { "p99 ms": { most: limitMilliseconds, of: /^\/health/ } },
  run: async ({ progress }) => {
    const server = await startServer({ process: "child" })
    const agent = new Agent({ connections: atOnce })
    const rows: Array<Row> = []
    const timed = async (path: string): Promise<number> => {
      const began = performance.now()
      const { statusCode, body } = await request(`${server.url}${path}`, { dispatcher: agent })
      await body.arrayBuffer()
      if (statusCode !== 200) throw new Error(`${path}: ${statusCode}`)
      return performance.now() - began
    }
    const { email, apiKey } = server.accountOf("hamlet")
    const upload = async (file: Uint8Array): Promise<number> => {
      const form = new FormData()
      form.set("file", new Blob([new Uint8Array(file)]))
      const headers = { Authorization: `Basic ${Buffer.from(`${email}:${apiKey}`).toString("base64")}` }
      const answer = await fetch(`${server.url}/api/v1/users/me/avatar`, { method: "POST", headers, body: form })
      await answer.arrayBuffer()
      return answer.status
    }
    const askAll = async (label: string, pathOf: (n: number) => string) => {
      progress(label)
      const times: Array<number> = []
      let next = 0
      const began = performance.now()
      const work = async () => {
        while (next < pictures) times.push(await timed(pathOf(next++)))
      }
      await Promise.all(Array.from({ length: atOnce }, work))
      const seconds = (performance.now() - began) / 1000
      rows.push({ label, figures: { ...figures(times), "pictures/s": pictures / seconds }, remarks: [] })
    }
    const whileUploading = async (label: string, file: Uint8Array, count: number, wanted: number) => {
      progress(label)
      const waits: Array<number> = []
      let isOver = false
      const ask = async () => {
        while (!isOver) waits.push(await timed("/health"))
      }
      const asking = ask()
      for (let n = 0; n < count; n++) {
        const status = await upload(file)
        if (status !== wanted) throw new Error(`${label}: ${status}`)
      }
      isOver = true
      await asking
      rows.push({ label, figures: figures(waits), remarks: [`${count} uploads: ${wanted}`] })
    }
    try {
      const alone: Array<number> = []
      for (let n = 0; n < 2 * asked; n++) alone.push(await timed("/health"))
      rows.push({ label: "/health, nothing uploaded", figures: figures(alone.slice(asked)), remarks: [] })
      await askAll("drawn", (n) => `/user_avatars/1/drawn/${n + 1}.png`)
      await whileUploading("/health, photos of 3 megapixels", png(2000, 1500), uploads, 200)
      const { avatar_url } = await server.as("hamlet").call("GET /users/me")
      await askAll("one uploaded, from memory", () => String(avatar_url))
      await whileUploading("/health, headers of 60,000 by 60,000", png(60_000, 60_000, 1), uploads, 400)
    } finally {
      await agent.close()
      await server.close()
    }
    return rows
  },
}
