/** The same in the language that tests the other direction and longer words. */
export { addEventListener, document, history, localStorage, location, WebSocket } from "./page-globals.ts"

export const navigator = { languages: ["en-XB"] }
