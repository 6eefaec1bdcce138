/** Alerts: where their names are found, what addresses choose, and messages that are none. */
import t from "tap"
import { alertmanager } from "../../../../src/chat/sending/webhooks/formats/alertmanager.ts"
import { grafana } from "../../../../src/chat/sending/webhooks/formats/grafana.ts"
import { usualChoices } from "../../../../src/chat/sending/webhooks/formats/webhook-result.ts"
import { alert, group } from "./payloads.ts"

const bare = (fields: object) => ({ status: "firing", alerts: [{ status: "firing", ...fields }] })

t.test("the name of an alert is found wherever programs put it", async (t) => {
  const named = [
    { labels: { alertname: "Moat" } },
    { labels: { rulename: "Moat" } },
    { labels: { alert_name: "Moat" } },
    { labels: { alert: "Moat", name: "other" } },
    { labels: { name: "Moat" } },
    { annotations: { title: "Moat" }, labels: { name: "other" } },
    { annotations: { alertname: "Moat" } },
    { name: "Moat", labels: { name: "other" } },
    { title: "Moat" },
    { ruleName: "Moat" },
  ]
  for (const fields of named)
    for (const format of [alertmanager, grafana])
      t.match(
        format(bare(fields), ""),
        { topic: "Moat", content: /^:alert: Firing \*\*Moat\*\*/ },
        JSON.stringify(fields),
      )
  t.match(alertmanager(bare({}), ""), { topic: "", content: ":alert: Firing **alert**" })
  const common = { ...bare({ labels: { rulename: "a" } }), commonLabels: { rulename: "Both" } }
  t.match(alertmanager(common, ""), { topic: "Both" })
})

t.test("the address says which label is the topic, and which annotation the text", async (t) => {
  const asked = { isDescribed: true, textLabel: "runbook_url", topicLabel: "instance" }
  const said = alertmanager(group, "", asked)
  t.match(said, {
    topic: "moat:9100",
    content: /^:alert: Firing \*\*moat:9100\*\* since [^\n]+\nhttps:\/\/run.example\/moat\n/,
  })
  t.notMatch(said, { content: /The moat is low|Below 2 m/ })
  const byLabel = { ...usualChoices, textLabel: "severity", topicLabel: "summary" }
  t.match(grafana(group, "", byLabel), { topic: "The moat is low", content: /\ncritical\n/ }, "either may be the other")
  const none = { ...usualChoices, textLabel: "nothing", topicLabel: "nothing" }
  t.strictSame(alertmanager(group, "", none), alertmanager(group, ""), "without it the usual ones")
  const labels = (instance: string) => ({ ...alert, labels: { ...alert.labels, instance } })
  const several = { ...group, commonLabels: {}, alerts: ["a", "b", "a"].map(labels) }
  t.match(alertmanager(several, "", { ...usualChoices, topicLabel: "instance" }), { topic: "a, b" })
  for (const name of ["constructor", "__proto__"])
    t.strictSame(
      alertmanager(group, "", { ...usualChoices, textLabel: name, topicLabel: name }),
      alertmanager(group, ""),
      name,
    )
})

t.test("descriptions can be left out, summaries and what the address names cannot", async (t) => {
  const none = { ...usualChoices, isDescribed: false }
  t.match(alertmanager(group, "", none), { content: /: The moat is low\n`severity/ })
  t.match(alertmanager(group, "", { ...none, textLabel: "description" }), { content: /\nBelow 2 m/ })
})

t.test("a message by which a monitor is tried out is said", async (t) => {
  for (const format of [alertmanager, grafana]) {
    t.strictSame(format({ text: "It *works*" }, ""), { event: "", topic: "", content: "It &#42;works&#42;" })
    t.strictSame(format({ title: "Test", message: "Hello" }, ""), { event: "", topic: "Test", content: "Hello" })
    t.match(format({ heartbeat: null, monitor: null, msg: "Testing" }, ""), { content: "Testing" })
    t.match(format({ text: " " }, ""), { refused: String })
  }
})
