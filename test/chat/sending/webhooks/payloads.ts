/**
 * What the services send, with the fields that are read and some around them, by integration and event. Names of people are
 * those of the kit's cast. `event` is the service's header.
 */
export interface Sample {
  readonly integration: string
  readonly event: string
  readonly payload: unknown
  /** What the message says; null: no message. */
  readonly said: { readonly topic: string; readonly content: string } | null
}

const repository = {
  id: 4711,
  name: "castle",
  full_name: "elsinore/castle",
  html_url: "https://github.com/elsinore/castle",
  default_branch: "main",
}
const sender = { login: "hamlet", id: 11, html_url: "https://github.com/hamlet", type: "User" }
const around = { repository, sender }
export const pull = {
  number: 12,
  title: "Mend the *moat*",
  html_url: "https://github.com/elsinore/castle/pull/12",
  state: "open",
  body: "It leaks.\n\n@**all** look!",
  merged: false,
  draft: false,
  user: sender,
  head: { ref: "moat", sha: "5b1c0ffee0000000000000000000000000000000" },
  base: { ref: "main", sha: "0a11ba5e00000000000000000000000000000000" },
}
export const issue = {
  number: 5,
  title: "A ghost at night",
  html_url: "https://github.com/elsinore/castle/issues/5",
  state: "open",
  body: "On the platform, at twelve.",
  user: sender,
}
export const comment = {
  id: 1,
  html_url: "https://github.com/elsinore/castle/issues/5#issuecomment-1",
  body: "I saw it, too",
  user: sender,
}
const link = "[#12 Mend the &#42;moat&#42;](https://github.com/elsinore/castle/pull/12)"
export const inGithub = (event: string, payload: object, topic?: string, content?: string): Sample => ({
  integration: "github",
  event,
  payload: { ...payload, ...around },
  said: topic === undefined || content === undefined ? null : { topic, content },
})
const commits = [
  {
    id: "1111111111111111111111111111111111111111",
    message: "Raise the bridge\n\nIt was down.",
    url: "https://github.com/elsinore/castle/commit/1111",
    author: { name: "Hamlet", username: "hamlet" },
  },
  {
    id: "2222222222222222222222222222222222222222",
    message: "@**all** - [x](https://evil.example) `code`",
    url: "https://github.com/elsinore/castle/commit/2222",
    author: { name: "Iago", username: "iago" },
  },
]
const pushed = {
  ref: "refs/heads/main",
  before: "0a11ba5e00000000000000000000000000000000",
  after: "2222222222222222222222222222222222222222",
  created: false,
  deleted: false,
  forced: false,
  compare: "https://github.com/elsinore/castle/compare/0a11...2222",
  commits,
  head_commit: commits[1],
  pusher: { name: "hamlet", email: "hamlet@example.org" },
}

const github: ReadonlyArray<Sample> = [
  inGithub(
    "push",
    pushed,
    "castle / main",
    "**hamlet** [pushed](https://github.com/elsinore/castle/compare/0a11...2222) 2 commits to branch `main`.\n\n" +
      "* [Raise the bridge](https://github.com/elsinore/castle/commit/1111)\n" +
      "* [@&#42;&#42;all&#42;&#42; - &#91;x&#93;(https://evil.example) &#96;code&#96;](https://github.com/elsinore/castle/commit/2222)",
  ),
  inGithub(
    "push",
    { ...pushed, deleted: true, commits: [], head_commit: null },
    "castle / main",
    "**hamlet** deleted branch `main`.",
  ),
  inGithub(
    "push",
    { ...pushed, ref: "refs/tags/v1", created: true },
    "castle",
    "**hamlet** [pushed](https://github.com/elsinore/castle/compare/0a11...2222) tag `v1`.",
  ),
  inGithub(
    "pull_request",
    { action: "opened", number: 12, pull_request: pull },
    "castle / PR #12 Mend the *moat*",
    `**hamlet** opened PR ${link} from \`moat\` to \`main\`.\n~~~~ quote\nIt leaks.\n\n@**all** look!\n~~~~`,
  ),
  inGithub(
    "pull_request",
    { action: "closed", number: 12, pull_request: { ...pull, merged: true } },
    "castle / PR #12 Mend the *moat*",
    `**hamlet** merged PR ${link}.`,
  ),
  inGithub("pull_request", { action: "labeled", number: 12, pull_request: pull }),
  inGithub(
    "issues",
    { action: "opened", issue },
    "castle / issue #5 A ghost at night",
    "**hamlet** opened issue [#5 A ghost at night](https://github.com/elsinore/castle/issues/5).\n" +
      "~~~~ quote\nOn the platform, at twelve.\n~~~~",
  ),
  inGithub(
    "issue_comment",
    { action: "created", issue, comment },
    "castle / issue #5 A ghost at night",
    "**hamlet** [commented](https://github.com/elsinore/castle/issues/5#issuecomment-1) on issue " +
      "[#5 A ghost at night](https://github.com/elsinore/castle/issues/5):\n~~~~ quote\nI saw it, too\n~~~~",
  ),
  inGithub(
    "pull_request_review",
    {
      action: "submitted",
      pull_request: pull,
      review: {
        state: "approved",
        body: null,
        html_url: "https://github.com/elsinore/castle/pull/12#r1",
        user: sender,
      },
    },
    "castle / PR #12 Mend the *moat*",
    `**hamlet** [approved](https://github.com/elsinore/castle/pull/12#r1) ${link}.`.replace(") [#", ") PR [#"),
  ),
  inGithub(
    "pull_request_review_comment",
    { action: "created", pull_request: pull, comment: { ...comment, path: "src/moat.ts" } },
    "castle / PR #12 Mend the *moat*",
    "**hamlet** [commented](https://github.com/elsinore/castle/issues/5#issuecomment-1) on `src/moat.ts` in " +
      `PR ${link}:\n~~~~ quote\nI saw it, too\n~~~~`,
  ),
  inGithub(
    "create",
    { ref: "moat", ref_type: "branch", master_branch: "main" },
    "castle / moat",
    "**hamlet** created branch `moat`.",
  ),
  inGithub("delete", { ref: "v1", ref_type: "tag" }, "castle", "**hamlet** deleted tag `v1`."),
  inGithub(
    "release",
    {
      action: "published",
      release: {
        tag_name: "v1",
        name: "First",
        body: "Walls.",
        prerelease: false,
        html_url: "https://github.com/elsinore/castle/releases/tag/v1",
        author: sender,
      },
    },
    "castle / releases",
    "**hamlet** published release [First](https://github.com/elsinore/castle/releases/tag/v1) with tag `v1`.\n" +
      "~~~~ quote\nWalls.\n~~~~",
  ),
  inGithub(
    "workflow_run",
    {
      action: "completed",
      workflow_run: {
        name: "CI",
        conclusion: "failure",
        status: "completed",
        head_branch: "main",
        head_sha: "2222222222222222222222222222222222222222",
        html_url: "https://github.com/elsinore/castle/actions/runs/9",
      },
    },
    "castle / main",
    "[CI](https://github.com/elsinore/castle/actions/runs/9) :cross_mark: failed on `main` (`22222222222`).",
  ),
  inGithub("workflow_run", { action: "requested", workflow_run: { name: "CI", conclusion: null } }),
  inGithub(
    "check_run",
    {
      action: "completed",
      check_run: {
        name: "lint",
        conclusion: "success",
        head_sha: "2222222222222222222222222222222222222222",
        html_url: "https://github.com/elsinore/castle/runs/7",
        check_suite: { head_branch: "main" },
      },
    },
    "castle / main",
    "Check [lint](https://github.com/elsinore/castle/runs/7) :check: succeeded on `22222222222`.",
  ),
  inGithub(
    "fork",
    { forkee: { full_name: "iago/castle", html_url: "https://github.com/iago/castle" } },
    "castle",
    "**hamlet** forked [elsinore/castle](https://github.com/elsinore/castle) to [iago/castle](https://github.com/iago/castle).",
  ),
  inGithub(
    "star",
    { action: "created", starred_at: "2024-01-01T00:00:00Z" },
    "castle",
    "**hamlet** starred [elsinore/castle](https://github.com/elsinore/castle).",
  ),
  inGithub(
    "watch",
    { action: "started" },
    "castle",
    "**hamlet** starred [elsinore/castle](https://github.com/elsinore/castle).",
  ),
  inGithub(
    "ping",
    { zen: "Words, words, words.", hook_id: 1, hook: { type: "Repository", events: ["push"] } },
    "castle",
    "The webhook of elsinore/castle was set up by **hamlet**.",
  ),
  inGithub("dependabot_alert", { action: "created" }),
]

const project = {
  id: 15,
  name: "castle",
  web_url: "https://git.example/elsinore/castle",
  path_with_namespace: "elsinore/castle",
}
const user = { id: 1, name: "Hamlet", username: "hamlet" }
const inGitlab = (event: string, payload: object, topic?: string, content?: string): Sample => ({
  integration: "gitlab",
  event,
  payload: { project, ...payload },
  said: topic === undefined || content === undefined ? null : { topic, content },
})
const zeros = "0".repeat(40)
const merge = {
  iid: 7,
  title: "Mend the moat",
  action: "open",
  state: "opened",
  source_branch: "moat",
  target_branch: "main",
  description: "It leaks.",
  url: "https://git.example/elsinore/castle/-/merge_requests/7",
}
const gitlab: ReadonlyArray<Sample> = [
  inGitlab(
    "Push Hook",
    {
      object_kind: "push",
      before: "1".repeat(40),
      after: "2".repeat(40),
      ref: "refs/heads/main",
      user_name: "Hamlet",
      total_commits_count: 30,
      commits: [{ id: "2".repeat(40), message: "Raise the bridge", url: "https://git.example/c/2" }],
    },
    "castle / main",
    `**Hamlet** [pushed](https://git.example/elsinore/castle/-/compare/${"1".repeat(40)}...${"2".repeat(40)}) ` +
      "30 commits to branch `main`.\n\n* [Raise the bridge](https://git.example/c/2)\n* and 29 more",
  ),
  inGitlab(
    "Tag Push Hook",
    {
      object_kind: "tag_push",
      before: zeros,
      after: "2".repeat(40),
      ref: "refs/tags/v1",
      user_name: "Hamlet",
      commits: [],
    },
    "castle",
    "**Hamlet** created tag `v1`.",
  ),
  inGitlab(
    "Merge Request Hook",
    { object_kind: "merge_request", user, object_attributes: merge },
    "castle / !7 Mend the moat",
    "**Hamlet** opened MR [!7 Mend the moat](https://git.example/elsinore/castle/-/merge_requests/7) " +
      "from `moat` to `main`.\n~~~~ quote\nIt leaks.\n~~~~",
  ),
  inGitlab("Merge Request Hook", { user, object_attributes: { ...merge, action: "update" } }),
  inGitlab(
    "Issue Hook",
    {
      object_kind: "issue",
      user,
      object_attributes: { iid: 5, title: "A ghost", action: "close", url: "https://git.example/i/5" },
    },
    "castle / #5 A ghost",
    "**Hamlet** closed issue [#5 A ghost](https://git.example/i/5).",
  ),
  inGitlab(
    "Note Hook",
    {
      object_kind: "note",
      user,
      object_attributes: { note: "I saw it", noteable_type: "Issue", url: "https://git.example/i/5#note_1" },
      issue: { iid: 5, title: "A ghost", url: "https://git.example/i/5" },
    },
    "castle / #5 A ghost",
    "**Hamlet** [commented](https://git.example/i/5#note_1) on issue [#5 A ghost](https://git.example/i/5):\n" +
      "~~~~ quote\nI saw it\n~~~~",
  ),
  inGitlab(
    "Pipeline Hook",
    {
      object_kind: "pipeline",
      user,
      object_attributes: { id: 31, ref: "main", status: "failed", duration: 63, stages: ["test"] },
      builds: [
        { id: 1, stage: "test", name: "unit", status: "failed" },
        { id: 2, stage: "test", name: "lint", status: "success" },
      ],
    },
    "castle / main",
    "[Pipeline #31](https://git.example/elsinore/castle/-/pipelines/31) :cross_mark: failed on `main` after 1 min 3 s.\n\n" +
      "* test `unit` failed",
  ),
  inGitlab("Pipeline Hook", { object_kind: "pipeline", object_attributes: { id: 31, status: "running" } }),
  inGitlab(
    "Job Hook",
    {
      object_kind: "build",
      ref: "main",
      build_id: 9,
      build_name: "unit",
      build_stage: "test",
      build_status: "failed",
      build_duration: 5.2,
      build_failure_reason: "script_failure",
      user,
    },
    "castle / main",
    "Job [unit](https://git.example/elsinore/castle/-/jobs/9) of test :cross_mark: failed on `main` after 5 s: script failure.",
  ),
  inGitlab(
    "Wiki Page Hook",
    {
      object_kind: "wiki_page",
      user,
      object_attributes: { title: "Ghosts", action: "create", url: "https://git.example/w/ghosts", message: "New" },
    },
    "castle / wiki",
    "**Hamlet** created wiki page [Ghosts](https://git.example/w/ghosts).\n~~~~ quote\nNew\n~~~~",
  ),
  inGitlab(
    "Release Hook",
    {
      object_kind: "release",
      action: "create",
      name: "First",
      tag: "v1",
      url: "https://git.example/r/v1",
      description: "Walls.",
    },
    "castle / releases",
    "Release [First](https://git.example/r/v1) with tag `v1` was created.\n~~~~ quote\nWalls.\n~~~~",
  ),
  inGitlab("Deployment Hook", { object_kind: "deployment", status: "success" }),
]

export const alert = {
  status: "firing",
  labels: { alertname: "MoatLow", severity: "critical", instance: "moat:9100" },
  annotations: {
    summary: "The moat is low",
    description: "Below 2 m @**all**",
    runbook_url: "https://run.example/moat",
  },
  startsAt: "2024-01-01T00:00:00.000Z",
  endsAt: "0001-01-01T00:00:00Z",
  generatorURL: "https://prom.example/graph?g0.expr=moat",
  fingerprint: "abc",
}
export const group = {
  receiver: "chat",
  status: "firing",
  alerts: [alert],
  groupLabels: { alertname: "MoatLow" },
  commonLabels: alert.labels,
  commonAnnotations: alert.annotations,
  externalURL: "https://alerts.example",
  version: "4",
  groupKey: '{}:{alertname="MoatLow"}',
  truncatedAlerts: 0,
}
const firing =
  ":alert: Firing **MoatLow** since <time:2024-01-01T00:00:00.000Z>: The moat is low\n" +
  "Below 2 m @&#42;&#42;all&#42;&#42;\n`severity=critical` `instance=moat:9100`\n"
const alerts: ReadonlyArray<Sample> = [
  {
    integration: "alertmanager",
    event: "",
    payload: group,
    said: {
      topic: "MoatLow",
      content: `${firing}[source](https://prom.example/graph?g0.expr=moat), [runbook](https://run.example/moat)`,
    },
  },
  {
    integration: "alertmanager",
    event: "",
    payload: {
      ...group,
      status: "resolved",
      alerts: [{ ...alert, status: "resolved", annotations: {} }],
      truncatedAlerts: 3,
    },
    said: {
      topic: "MoatLow",
      content:
        ":check: Resolved **MoatLow**\n`severity=critical` `instance=moat:9100`\n" +
        "[source](https://prom.example/graph?g0.expr=moat)\n\nAnd 3 more.",
    },
  },
  {
    integration: "grafana",
    event: "",
    payload: {
      ...group,
      orgId: 1,
      title: "[FIRING:1] MoatLow",
      state: "alerting",
      message: "**Firing**",
      alerts: [
        {
          ...alert,
          annotations: { ...alert.annotations, runbook_url: "" },
          values: { B: 1.5 },
          valueString: "[ var='B' value=1.5 ]",
          dashboardURL: "",
          panelURL: "https://graf.example/d/1?viewPanel=2",
          silenceURL: "https://graf.example/silence",
        },
      ],
    },
    said: {
      topic: "MoatLow",
      content:
        `${firing}B = 1.5\n[source](https://prom.example/graph?g0.expr=moat), ` +
        "[panel](https://graf.example/d/1?viewPanel=2), [silence](https://graf.example/silence)",
    },
  },
  {
    integration: "grafana",
    event: "",
    payload: {
      title: "[Alerting] Moat",
      ruleId: 1,
      ruleName: "Moat",
      ruleUrl: "https://graf.example/d/1",
      state: "alerting",
      message: "It is low",
      imageUrl: "https://graf.example/1.png",
      evalMatches: [{ value: 1.5, metric: "depth", tags: {} }],
      orgId: 1,
    },
    said: {
      topic: "Moat",
      content:
        ":alert: Alerting: [Moat](https://graf.example/d/1)\nIt is low\n\n* depth = 1.5\n\n[graph](https://graf.example/1.png)",
    },
  },
]

const others: ReadonlyArray<Sample> = [
  {
    integration: "slack_incoming",
    event: "",
    payload: {
      channel: "#general",
      text: "*Bold* _it_ ~no~ `a*b` <https://a.example|a *link*> <!channel> <@U1|iago> @**all** a &lt; b",
    },
    said: {
      topic: "general",
      content:
        "**Bold** *it* ~~no~~ `a*b` [a **link**](https://a.example) @channel @iago @&#42;&#42;all&#42;&#42; a < b",
    },
  },
  {
    integration: "slack_incoming",
    event: "",
    payload: {
      text: "in notifications",
      blocks: [
        { type: "header", text: { type: "plain_text", text: "Deploy" } },
        {
          type: "section",
          text: { type: "mrkdwn", text: "*Done*" },
          fields: [{ type: "mrkdwn", text: "*By*\nHamlet" }],
          accessory: { type: "button", text: { type: "plain_text", text: "Open" }, url: "https://a.example" },
        },
        { type: "divider" },
        { type: "context", elements: [{ type: "mrkdwn", text: "at noon" }] },
        {
          type: "rich_text",
          elements: [
            {
              type: "rich_text_section",
              elements: [
                { type: "text", text: "a " },
                { type: "text", text: "b", style: { bold: true } },
                { type: "link", url: "https://b.example" },
              ],
            },
          ],
        },
      ],
      attachments: [
        {
          fallback: "f",
          pretext: "before",
          title: "Build",
          title_link: "https://c.example",
          text: "ok",
          fields: [{ title: "Took", value: "3 s", short: true }],
          footer: "ci",
        },
      ],
    },
    said: {
      topic: "",
      content:
        "## Deploy\n\n**Done**\n**By**\nHamlet\n[Open](https://a.example)\n\n----\n\nat noon\n\n" +
        "a **b**[https://b.example](https://b.example)\n\n" +
        "before\n[Build](https://c.example)\nok\n**Took**: 3 s\nci",
    },
  },
  {
    integration: "json",
    event: "",
    payload: { a: 1, b: ["~~~~", "@**all**"] },
    said: { topic: "", content: '~~~~ json\n{\n  "a": 1,\n  "b": [\n    "~~~",\n    "@**all**"\n  ]\n}\n~~~~' },
  },
  {
    integration: "json",
    event: "",
    payload: { content: "**hello** @**Hamlet**", topic: "greetings" },
    said: { topic: "greetings", content: "**hello** @**Hamlet**" },
  },
]

export const samples: ReadonlyArray<Sample> = [...github, ...gitlab, ...alerts, ...others]
