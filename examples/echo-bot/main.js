/** Runs the bot: `PARLEY_SERVER=... BOT_EMAIL=... BOT_API_KEY=... npm start`. */
import { Client } from "parley-server/client"
import { startBot } from "./bot.js"

const { PARLEY_SERVER: server = "http://127.0.0.1:9991", BOT_EMAIL: email = "", BOT_API_KEY: apiKey = "" } = process.env
const bot = await startBot(new Client({ server, account: { email, apiKey } }))
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => bot.stop())
