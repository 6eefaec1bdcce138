/** docs/rooms.md, as it follows from the doors of the rooms. `npm run docs` writes it; a test compares. */
import { rooms } from "../../src/chat/rooms.ts"

export const roomsPage = `# Rooms

\`src/chat\` has wings, and each folder of a wing is a room with one door, \`room.ts\`, which lists what it brings. A room
imports only rooms above it, types included. This page is made from the doors by \`npm run docs\`.

| wing | room | what is in it |
|---|---|---|
${rooms.map(({ wing, name, about }) => `| ${wing} | \`${name}\` | ${about} |`).join("\n")}
`
