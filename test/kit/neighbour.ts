/** A second organization in a server's database, which nobody asks for: the only one there is, is loaded by each start. */
import type { TestServer } from "./with-server.ts"

export const addNeighbour = (server: TestServer) =>
  server.rows(
    "insert into realm (id, host, epoch, created_at, settings) values (2, 'neighbour.example', 'neighbour', 0, '{}')",
  )

export const removeNeighbour = (server: TestServer) => server.rows("delete from realm where id = 2")
