/** A connection hands on what comes in small pieces, and lets others work between them. */
import { connect, createServer } from "node:net"
import t from "tap"
import { PacedConnection } from "../../../../src/chat/ground/outbound/paced-connection.ts"

const turn = () => new Promise((resolve) => setImmediate(resolve))

t.test("bytes that take long to read are handed on a few at a time", async (t) => {
  const sent = Buffer.from(Array.from({ length: 20_000 }, (_, n) => n % 251))
  const server = createServer((socket) => void socket.end(sent))
  t.teardown(() => server.close())
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  const port = address === null || typeof address === "string" ? 0 : address.port
  const paced = new PacedConnection(connect(port, "127.0.0.1"))
  const pieces: Array<Buffer> = []
  let [inTurn, most] = [0, 0]
  paced.on("data", (piece: Buffer) => {
    pieces.push(piece)
    inTurn += 1
    most = Math.max(most, inTurn)
    const end = performance.now() + 2
    while (performance.now() < end) {}
  })
  let isOver = false
  paced.on("end", () => {
    isOver = true
  })
  while (!isOver) {
    await turn()
    inTurn = 0
  }
  t.ok(Buffer.concat(pieces).equals(sent))
  t.ok(pieces.every((piece) => piece.length <= 1024))
  t.equal(most, 1)
  t.equal(paced.received, sent.length)
  paced.destroy()
})

t.test("whoever does not read is sent no more, and a fault is told", async (t) => {
  const server = createServer((socket) => {
    socket.on("error", () => {})
    const go = (): void => {
      while (!socket.destroyed && socket.write(Buffer.alloc(65_536))) {}
      if (!socket.destroyed) socket.once("drain", go)
    }
    go()
  })
  t.teardown(() => server.close())
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  const port = address === null || typeof address === "string" ? 0 : address.port
  const inner = connect(port, "127.0.0.1")
  const paced = new PacedConnection(inner)
  paced.pause()
  await new Promise((resolve) => inner.once("data", resolve))
  for (let n = 0; n < 200; n++) await turn()
  t.ok(paced.received <= 200_000, `${paced.received} bytes`)
  const told = new Promise((resolve) => paced.once("error", resolve))
  inner.destroy(new Error("cut"))
  t.match(await told, { message: "cut" })
  t.ok(paced.destroyed)
})
