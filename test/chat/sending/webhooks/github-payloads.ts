/** Further kinds of GitHub's events, with the fields that are read. */
import { comment, inGithub, issue, pull, type Sample } from "./payloads.ts"

const url = "https://github.com/elsinore/castle"
const castle = `[elsinore/castle](${url})`
const ofPull = `PR [#12 Mend the &#42;moat&#42;](${url}/pull/12)`
const ofIssue = `issue [#5 A ghost at night](${url}/issues/5)`
const iago = { login: "iago", html_url: "https://github.com/iago" }
const linkedIago = "[iago](https://github.com/iago)"
const team = { name: "Guards", html_url: "https://github.com/orgs/elsinore/teams/guards", description: "At night" }
const guards = "[Guards](https://github.com/orgs/elsinore/teams/guards)"
const organization = { login: "elsinore" }
const milestone = { title: "Winter", html_url: `${url}/milestone/1`, number: 1 }
const discussion = {
  number: 9,
  title: "Who goes there? :x:",
  html_url: `${url}/discussions/9`,
  body: "<!-- be kind -->\nNay, answer me",
  category: { name: "Q&A" },
}
const ofDiscussion = `discussion [#9 Who goes there? ❌](${url}/discussions/9)`
const aboutPull = "castle / PR #12 Mend the *moat*"
const aboutIssue = "castle / issue #5 A ghost at night"
const aboutDiscussion = "castle / discussion #9 Who goes there? :x:"
const deployed = { deployment: { environment: "production", ref: "main", description: null } }
const onPulls: ReadonlyArray<readonly [payload: object, said: string]> = [
  [{ action: "assigned", assignee: iago }, `assigned **iago** to ${ofPull}`],
  [{ action: "unassigned", assignee: iago }, `unassigned **iago** from ${ofPull}`],
  [{ action: "milestoned", milestone }, `added ${ofPull} to milestone [Winter](${url}/milestone/1)`],
  [{ action: "locked", pull_request: { ...pull, active_lock_reason: "too heated" } }, `locked ${ofPull} as too heated`],
  [{ action: "unlocked" }, `unlocked ${ofPull}`],
  [{ action: "auto_merge_enabled" }, `enabled auto-merge for ${ofPull}`],
  [{ action: "enqueued" }, `added to the merge queue ${ofPull}`],
  [{ action: "dequeued", reason: "CI_FAILURE" }, `removed ${ofPull} from the merge queue (ci failure)`],
]
const onIssues: ReadonlyArray<readonly [payload: object, said: string]> = [
  [{ action: "assigned", assignee: iago }, `assigned **iago** to ${ofIssue}`],
  [{ action: "unassigned", assignee: iago }, `unassigned **iago** from ${ofIssue}`],
  [{ action: "demilestoned", milestone }, `removed ${ofIssue} from milestone [Winter](${url}/milestone/1)`],
  [{ action: "closed", issue: { ...issue, state_reason: "not_planned" } }, `closed ${ofIssue} as not planned`],
  [
    {
      action: "transferred",
      changes: { new_issue: { number: 1, html_url: "https://h.example/1" }, new_repository: { full_name: "a/b" } },
    },
    `transferred ${ofIssue} to [a/b#1](https://h.example/1)`,
  ],
]
const onDiscussions: ReadonlyArray<readonly [payload: object, said: string]> = [
  [{ action: "created" }, `created ${ofDiscussion} in Q&A.\n~~~~ quote\nNay, answer me\n~~~~`],
  [
    { action: "answered", answer: { html_url: `${url}/discussions/9#a`, body: "Long live the king" } },
    `chose [an answer](${url}/discussions/9#a) to ${ofDiscussion}:\n~~~~ quote\nLong live the king\n~~~~`,
  ],
  [{ action: "unanswered" }, `took back the answer to ${ofDiscussion}.`],
  [{ action: "category_changed" }, `moved ${ofDiscussion} to Q&A.`],
  [{ action: "pinned" }, `pinned ${ofDiscussion}.`],
]
const onRepositories: ReadonlyArray<readonly [payload: object, said: string]> = [
  [{ action: "archived" }, `archived the repository ${castle}`],
  [
    { action: "renamed", changes: { repository: { name: { from: "fort" } } } },
    `renamed the repository **fort** to ${castle}`,
  ],
  [{ action: "privatized" }, `made the repository ${castle} private`],
  [
    { action: "transferred", changes: { owner: { from: { user: { login: "iago" } } } } },
    `transferred the repository ${castle} from **iago**`,
  ],
  [
    { action: "edited", changes: { default_branch: { from: "old" } } },
    `edited the repository ${castle} to the default branch \`main\``,
  ],
]
const onTeams: ReadonlyArray<readonly [payload: object, said: string]> = [
  [{ action: "created" }, `created the team ${guards}.`],
  [{ action: "removed_from_repository" }, `removed the team ${guards} from the repository ${castle}.`],
  [{ action: "edited", changes: { name: { from: "Watch" } } }, `renamed the team **Watch** to ${guards}.`],
  [
    { action: "edited", changes: { description: { from: "" } } },
    `changed the description of the team ${guards}.\n~~~~ quote\nAt night\n~~~~`,
  ],
]
const sponsorship = { sponsor: iago, sponsorable: organization, tier: { name: "$5 a month" } }

export const moreOfGithub: ReadonlyArray<Sample> = [
  ...onPulls.map(([payload, said]) =>
    inGithub("pull_request", { pull_request: pull, ...payload }, aboutPull, `**hamlet** ${said}.`),
  ),
  inGithub("pull_request", { action: "edited", pull_request: pull }),
  ...onIssues.map(([payload, said]) => inGithub("issues", { issue, ...payload }, aboutIssue, `**hamlet** ${said}.`)),
  inGithub(
    "issues",
    { action: "opened", issue, changes: { old_issue: { number: 3 }, old_repository: { full_name: "a/b" } } },
    aboutIssue,
    `**hamlet** transferred ${ofIssue} from a/b#3.\n~~~~ quote\nOn the platform, at twelve.\n~~~~`,
  ),
  ...onDiscussions.map(([payload, said]) =>
    inGithub("discussion", { discussion, ...payload }, aboutDiscussion, `**hamlet** ${said}`),
  ),
  inGithub("discussion", { action: "labeled", discussion }),
  inGithub(
    "discussion_comment",
    { action: "created", discussion, comment },
    aboutDiscussion,
    `**hamlet** [commented](${url}/issues/5#issuecomment-1) on ${ofDiscussion}:\n~~~~ quote\nI saw it, too\n~~~~`,
  ),
  inGithub("discussion_comment", { action: "edited", discussion, comment }),
  inGithub(
    "issue_comment",
    { action: "created", issue, comment: { ...comment, body: "<!-- a bot's mark -->" } },
    aboutIssue,
    `**hamlet** [commented](${url}/issues/5#issuecomment-1) on ${ofIssue}.`,
  ),
  inGithub(
    "gollum",
    {
      pages: [
        { action: "created", title: "Ghosts", html_url: `${url}/wiki/Ghosts`, summary: null },
        { action: "edited", page_name: "Home", html_url: `${url}/wiki`, summary: "*Typo*" },
      ],
    },
    "castle / wiki",
    `**hamlet** changed the wiki:\n\n* created [Ghosts](${url}/wiki/Ghosts)\n* edited [Home](${url}/wiki): &#42;Typo&#42;`,
  ),
  inGithub(
    "deployment",
    deployed,
    "castle / deployment on production",
    "**hamlet** began a deployment of `main` to **production**.",
  ),
  inGithub(
    "deployment_status",
    { ...deployed, deployment_status: { state: "failure", log_url: "https://ci.example/9", description: "No disk" } },
    "castle / deployment on production",
    "[Deployment](https://ci.example/9) of `main` to **production** :cross_mark: failed: No disk",
  ),
  inGithub("deployment_status", { ...deployed, deployment_status: { state: "in_progress" } }),
  inGithub(
    "deployment_review",
    {
      action: "requested",
      environment: "production",
      reviewers: [{ type: "User", reviewer: iago }],
      workflow_run: { name: "Deploy", html_url: `${url}/actions/runs/1` },
    },
    "castle / deployment on production",
    `[Deploy](${url}/actions/runs/1) to **production** waits for approval by **iago**.`,
  ),
  inGithub(
    "status",
    {
      sha: "2222222222222222222222222222222222222222",
      state: "error",
      context: "ci/old",
      target_url: "https://ci.example/7",
      description: "Broken",
      commit: { html_url: `${url}/commit/2222` },
      branches: [{ name: "main" }],
    },
    "castle / main",
    `Check [ci/old](https://ci.example/7) :cross_mark: had an error on [\`22222222222\`](${url}/commit/2222): Broken`,
  ),
  inGithub("status", { state: "pending" }),
  inGithub(
    "page_build",
    { build: { status: "errored", error: { message: "No index" }, pusher: iago } },
    "castle / pages",
    "The build of the pages for **iago** :cross_mark: failed: No index",
  ),
  inGithub("page_build", { build: { status: "building" } }),
  ...onRepositories.map(([payload, said]) => inGithub("repository", payload, "castle", `**hamlet** ${said}.`)),
  inGithub("public", {}, "castle", `**hamlet** made the repository ${castle} public.`),
  ...onTeams.map(([payload, said]) => inGithub("team", { team, ...payload }, "team / Guards", `**hamlet** ${said}`)),
  inGithub("team", { action: "added_to_repository", team }),
  inGithub("team_add", { team }, "castle", `**hamlet** added the repository ${castle} to the team ${guards}.`),
  inGithub(
    "member",
    { action: "added", member: iago },
    "castle",
    `**hamlet** added ${linkedIago} to the repository ${castle}.`,
  ),
  inGithub(
    "membership",
    { action: "removed", member: iago, team, organization },
    "elsinore / members",
    `**hamlet** removed ${linkedIago} from the team ${guards}.`,
  ),
  inGithub(
    "organization",
    { action: "member_added", membership: { user: iago }, organization },
    "elsinore / members",
    `**hamlet** added ${linkedIago} to the organization **elsinore**.`,
  ),
  inGithub(
    "milestone",
    { action: "closed", milestone },
    "castle / milestones",
    `**hamlet** closed milestone [Winter](${url}/milestone/1).`,
  ),
  inGithub(
    "package",
    {
      action: "published",
      package: { name: "moat", package_type: "npm", package_version: { version: "1.0.0" }, html_url: `${url}/p` },
    },
    "castle / packages",
    `**hamlet** published npm package [moat 1.0.0](${url}/p).`,
  ),
  inGithub(
    "registry_package",
    { action: "published", registry_package: { name: "moat", package_type: "CONTAINER", html_url: `${url}/p` } },
    "castle / packages",
    `**hamlet** published container package [moat](${url}/p).`,
  ),
  inGithub(
    "sponsorship",
    { action: "created", sponsorship },
    "sponsors",
    "**iago** sponsors **elsinore** with $5 a month.",
  ),
  inGithub(
    "sponsorship",
    { action: "pending_cancellation", sponsorship, effective_date: "2024-02-01T00:00:00+00:00" },
    "sponsors",
    "**iago** will sponsor **elsinore** no longer on 2024-02-01.",
  ),
  inGithub("push", { ref: "refs/heads/gh-readonly-queue/main/pr-1", commits: [{ id: "1", message: "x" }] }),
]
