/**
 * The bots of the demo organization that show what bots are for. Guide answers whoever mentions it or writes to it; its program
 * is src/demo-guide.ts. Builds posts what a service elsewhere tells by its web hook; what GitHub would have told it is here, in
 * GitHub's own form, and goes the way that each delivery goes.
 */
import { type BotType, botTypes } from "../../ground/bot-settings/bot-settings.ts"

interface DemoBot {
  readonly email: string
  readonly fullName: string
  readonly botType: BotType
}

export const guideBot: DemoBot = { email: "guide-bot@demo.example", fullName: "Guide", botType: botTypes.generic }
export const buildsBot: DemoBot = {
  email: "builds-bot@demo.example",
  fullName: "Builds",
  botType: botTypes.incomingWebhook,
}

/** All of one owner. Demo Bot, which signs in by key only, is an account like those of people. */
export const demoBots: ReadonlyArray<DemoBot> = [guideBot, buildsBot]

export interface DemoDelivery {
  /** How long ago it came, in hours. */
  readonly ago: number
  readonly integration: string
  /** The service's headers: the kind of event, and the name of the delivery. */
  readonly event: string
  readonly delivery: string
  /** The channel that its address names. */
  readonly channel: string
  readonly payload: object
}

const url = "https://github.com/demo-example/website"
const repository = { id: 70_001, name: "website", full_name: "demo-example/website", html_url: url }
const sender = { login: "max-member", id: 80_001, html_url: "https://github.com/max-member", type: "User" }
const author = { name: "Max Member", email: "member@demo.example", username: "max-member" }
const [before, first, last] = [
  "3f0c1a9be57d2248c6610fd1e9b07a35d4c8e210",
  "8b41d07c2a96f3e05d1748bbca2290ee6fd351a7",
  "c95e62f8130d7ab4418f5c06e2b9d71a0835fe4c",
] as const
const commit = (id: string, message: string) => ({ id, message, url: `${url}/commit/${id}`, author, distinct: true })
const head = commit(last, "Take the mean of an empty list as 0\n\nIt was a division by zero.")

export const demoDeliveries: ReadonlyArray<DemoDelivery> = [
  {
    ago: 26.2,
    integration: "github",
    event: "push",
    delivery: "6f1c8a40-0b3e-11f0-8d2e-1d2f5c9a7b01",
    channel: "general",
    payload: {
      ref: "refs/heads/main",
      before,
      after: last,
      created: false,
      deleted: false,
      forced: false,
      compare: `${url}/compare/${before.slice(0, 12)}...${last.slice(0, 12)}`,
      commits: [commit(first, "Draw the messages of a week as bars"), head],
      head_commit: head,
      pusher: { name: sender.login, email: author.email },
      repository,
      sender,
    },
  },
  {
    ago: 26,
    integration: "github",
    event: "workflow_run",
    delivery: "7a90d5c2-0b3e-11f0-9f41-6b0e3d4c2f02",
    channel: "general",
    payload: {
      action: "completed",
      workflow_run: {
        id: 90_001,
        name: "Tests",
        head_branch: "main",
        head_sha: last,
        status: "completed",
        conclusion: "success",
        html_url: `${url}/actions/runs/90001`,
      },
      repository,
      sender,
    },
  },
]
