/**
 * What the people of the demo organization have said to each other in the last days, and what they did with it: enough that
 * each thing that a client draws is there once.
 */

export interface DemoLine {
  /** How long ago it was said, in hours; later lines say less. */
  readonly ago: number
  readonly from: string
  /** A channel, or the addresses of people. */
  readonly to: string | ReadonlyArray<string>
  readonly topic?: string
  readonly text: string
  /** Who reacted, and with what. */
  readonly reactions?: ReadonlyArray<readonly [who: string, emoji: string]>
  /** Who voted for which option of a poll. */
  readonly votes?: ReadonlyArray<readonly [who: string, option: number]>
  readonly starredBy?: string
  /** Who muted the topic. */
  readonly mutedBy?: string
  /** Who said that the topic needs nothing more. */
  readonly resolvedBy?: string
}

const [owner, admin, moderator] = ["owner@demo.example", "admin@demo.example", "moderator@demo.example"] as const
const [member, guest, visitor, bot] = [
  "member@demo.example",
  "guest@demo.example",
  "visitor@demo.example",
  "bot@demo.example",
] as const

/** Stands for the address of the picture in a text. */
export const picturePlaceholder = "{picture}"

/** Without a language: highlighting loads what a first look need not wait for. */
const code = "```\ndef mean(values: list[float]) -> float:\n    return sum(values) / len(values)\n```"

export const demoConversations: ReadonlyArray<DemoLine> = [
  {
    ago: 76,
    from: bot,
    to: "general",
    topic: "welcome",
    text: "Welcome to Parley! Every message here belongs to a topic; this one is called welcome.",
    reactions: [[member, "wave"]],
  },
  {
    ago: 75.8,
    from: owner,
    to: "general",
    topic: "welcome",
    text: "Try it: send a message with curl, read the events of a queue, and watch them arrive. Or have a bot answer: `@**Guide** roll 20`.",
    starredBy: member,
  },
  {
    ago: 75,
    from: member,
    to: "general",
    topic: "welcome",
    text: "It works from here. What happens to my queue when the server restarts?",
  },
  {
    ago: 74.9,
    from: bot,
    to: "general",
    topic: "welcome",
    text: "Nothing: it goes on where it was, and no event is lost or doubled.",
    reactions: [
      [member, "heart"],
      [owner, "heart"],
    ],
  },
  {
    ago: 73,
    from: admin,
    to: "announcements",
    topic: "news",
    text: "This channel is web-public: guests can read it too.",
  },
  { ago: 55, from: member, to: "support", topic: "printer is jammed", text: "Paper, tray two. It blinks at me." },
  {
    ago: 54.5,
    from: moderator,
    to: "support",
    topic: "printer is jammed",
    text: "> It blinks at me.\n\nOpen the back, *gently*, and pull. That was all:\n1. open\n2. pull\n3. close",
    resolvedBy: moderator,
  },
  {
    ago: 50,
    from: visitor,
    to: "support",
    topic: "first steps",
    text: "Hello, I am here for this project only. Is this the right place to ask?",
    reactions: [[moderator, "wave"]],
  },
  {
    ago: 30,
    from: owner,
    to: "leads",
    topic: "planning",
    text: "And this one is private. Only its subscribers can read it.",
  },
  { ago: 29.5, from: admin, to: "leads", topic: "planning", text: "Then let us keep the budget here." },
  { ago: 27, from: member, to: "general", topic: "statistics", text: `Is this the mean that you meant?\n\n${code}` },
  {
    ago: 26.8,
    from: owner,
    to: "general",
    topic: "statistics",
    text: "@**Max Member** Nearly: mind the empty list.",
    reactions: [[member, "+1"]],
  },
  {
    ago: 26.5,
    from: member,
    to: "general",
    topic: "statistics",
    text: `Messages of this week, as bars: [messages.png](${picturePlaceholder})`,
    reactions: [[admin, "tada"]],
  },
  {
    ago: 6,
    from: moderator,
    to: "general",
    topic: "lunch on Friday",
    text: "/poll What shall we eat on Friday?\nSoup\nDumplings\nWhatever there is",
    votes: [
      [member, 1],
      [owner, 1],
      [guest, 0],
    ],
    mutedBy: admin,
  },
  {
    ago: 5,
    from: moderator,
    to: [guest],
    text: "Hello Greta, this is a direct message, just between the two of us.",
  },
  { ago: 4.8, from: guest, to: [moderator], text: "So nobody else reads it? Good to know. :wink:" },
  { ago: 2, from: owner, to: [admin, moderator], text: "And this one is among three. Who opens the house tomorrow?" },
  { ago: 1.5, from: moderator, to: [owner, admin], text: "I do." },
]

/** What people say of themselves now, by their addresses. */
export const demoStatuses: ReadonlyArray<readonly [who: string, text: string, emoji: string]> = [
  [owner, "In a meeting until noon", "calendar"],
  [member, "Reading the manual", "book"],
]

/** Who is there now. */
export const demoPresentUsers: ReadonlyArray<string> = [owner, member]
