import t from "tap"
import { acceptsBrotli, acceptsGzip } from "../../../src/http/answer/accept-encoding.ts"

t.test("gzip is sent to clients that take it, and to no other", (t) => {
  const takes = [
    "gzip",
    "GZip",
    "x-gzip",
    "gzip, deflate, br",
    "br;q=1.0, gzip;q=0.8, *;q=0.1",
    "deflate,gzip ; q=0.001",
    "*",
    "*;q=0.5",
    "identity;q=0.5, gzip",
    "gzip;q=1.000",
    "identity;q=0, gzip;q=0.1",
    "*;q=0, gzip",
  ]
  for (const header of takes) t.equal(acceptsGzip(header), true, header)
  const refuses = [
    "",
    "identity",
    "deflate, br",
    "gzip;q=0",
    "gzip;q=0.000",
    "gzip;q=0, *",
    "*;q=0",
    "gzip;q=",
    "gzip;q=2",
    "gzip;q=-1",
    "gzip;q=0.0001",
    "gzip;level=9",
    "identity, gzip;q=0.5",
    "gzipped",
    ",,;,",
  ]
  for (const header of refuses) t.equal(acceptsGzip(header), false, header)
  t.end()
})

t.test("brotli is sent to clients that name it and want nothing more", async (t) => {
  for (const header of ["br", "gzip, deflate, br", "br;q=1.0, gzip;q=0.8, *;q=0.1", "BR, identity;q=0.5"])
    t.equal(acceptsBrotli(header), true, header)
  for (const header of ["", "*", "gzip", "br;q=0", "br;q=0.5, gzip", "br;q=0.5, identity"])
    t.equal(acceptsBrotli(header), false, header)
})
