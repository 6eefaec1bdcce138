/**
 * The type of an uploaded file by what its client says of it. Clients that know no types send none, or that of any file
 * (application/octet-stream): then the ending of the name tells. Only types that are shown as something are told by it: all
 * other files are downloaded, whatever they are called.
 */

const unknownType = "application/octet-stream"

const mediaType = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,62}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,62}$/

const typeByEnding: ReadonlyMap<string, string> = new Map([
  ["mp4", "video/mp4"],
  ["m4v", "video/mp4"],
  ["webm", "video/webm"],
  ["ogv", "video/ogg"],
  ["mp3", "audio/mpeg"],
  ["ogg", "audio/ogg"],
  ["oga", "audio/ogg"],
  ["opus", "audio/ogg"],
  ["wav", "audio/wav"],
  ["m4a", "audio/mp4"],
  ["flac", "audio/flac"],
  ["aac", "audio/aac"],
  ["txt", "text/plain"],
  ["pdf", "application/pdf"],
])

export const declaredType = (sent: string, name: string): string => {
  const known = mediaType.test(sent) ? sent : unknownType
  if (known !== unknownType) return known
  const [, ending = ""] = /\.([^.]+)$/.exec(name) ?? []
  return typeByEnding.get(ending.toLowerCase()) ?? unknownType
}
