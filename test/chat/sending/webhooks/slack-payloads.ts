/** What programs send to Slack's incoming webhooks. */

const alertsOf = "http://alerts.example:9093/#/alerts?receiver=chat"

/** Alertmanager 0.28 with its own templates, of which the text and fields are as people set them up. */
export const alertmanager = {
  channel: "#alerts",
  username: "Alertmanager",
  attachments: [
    {
      title: '[FIRING:1] MoatLow (moat:9100 "critical")',
      title_link: alertsOf,
      pretext: "",
      text: "*Summary:* the moat is &lt; 2 m &amp; falls\n*Graph:* <http://prom.example/graph?g0.expr=moat&amp;g0.tab=1|:chart:>",
      fallback: `[FIRING:1] MoatLow (moat:9100 "critical") | ${alertsOf}`,
      callback_id: "",
      footer: "",
      fields: [{ title: "Severity", value: "critical", short: true }],
      actions: [{ type: "button", text: "Runbook", url: "http://run.example/moat", style: "", name: "", value: "" }],
      color: "danger",
      mrkdwn_in: ["fallback", "pretext", "text"],
    },
  ],
}

export const alertmanagerSaid =
  `[&#91;FIRING:1&#93; MoatLow (moat:9100 "critical")](${alertsOf})\n` +
  "**Summary:** the moat is < 2 m & falls\n**Graph:** [💹](http://prom.example/graph?g0.expr=moat&g0.tab=1)\n" +
  "**Severity**: critical\n[Runbook](http://run.example/moat)"
