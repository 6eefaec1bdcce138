/** Parts of Slack's messages, one of each kind that its documents name, and what they become. */

const plain = (text: string) => ({ type: "plain_text", text })
const marked = (text: string) => ({ type: "mrkdwn", text })
const option = (text: string) => ({ text: plain(text), value: text })
const words = (text: string, style: object = {}) => ({ type: "text", text, style })
const section = (...elements: ReadonlyArray<object>) => ({ type: "rich_text_section", elements })
const rich = (...elements: ReadonlyArray<object>) => ({ type: "rich_text", elements })
const image = { type: "image", image_url: "https://a.example/i.png", alt_text: "picture" }
const button = { type: "button", text: plain("Open &amp; see"), url: "https://a.example" }
const choose = { placeholder: plain("Choose"), options: [option("A"), option("B")], initial_option: option("B") }
const listed = (style: string, more: object, ...items: ReadonlyArray<string>) => ({
  type: "rich_text_list",
  style,
  elements: items.map((item) => section(words(item))),
  ...more,
})

interface Shown {
  readonly markdown: string
}

export const blocks: ReadonlyArray<Shown & { readonly block: object }> = [
  { block: { type: "header", text: plain("A *b* &amp; c") }, markdown: "## A &#42;b&#42; & c" },
  { block: { type: "divider" }, markdown: "----" },
  {
    block: { type: "section", text: plain("*a* &lt;"), fields: [marked("*b*"), plain("*c*")], accessory: button },
    markdown: "&#42;a&#42; <\n**b**\n&#42;c&#42;\n[Open & see](https://a.example)",
  },
  {
    block: {
      type: "section",
      text: marked("x"),
      accessory: { type: "overflow", options: [option("A"), { ...option("B"), url: "https://b.example" }] },
    },
    markdown: "x\nA, [B](https://b.example)",
  },
  {
    block: { type: "context", elements: [image, marked("*at* noon")] },
    markdown: "[picture](https://a.example/i.png) **at** noon",
  },
  { block: { ...image, title: plain("Title") }, markdown: "[Title](https://a.example/i.png)" },
  {
    block: { type: "image", slack_file: { url: "https://f.example" }, alt_text: "p" },
    markdown: "[p](https://f.example)",
  },
  {
    block: {
      type: "actions",
      elements: [
        button,
        { type: "button", text: plain("Approve"), value: "1" },
        { type: "workflow_button", text: plain("Run"), workflow: { trigger: { url: "https://w.example" } } },
        { type: "static_select", ...choose },
        { type: "multi_static_select", option_groups: [{ label: plain("G"), options: [option("C")] }] },
        { type: "checkboxes", options: [{ ...option("D"), description: marked("*why*") }] },
        { type: "radio_buttons", options: [option("E")] },
        { type: "users_select", placeholder: plain("Who"), initial_user: "U1" },
        { type: "datepicker", initial_date: "2024-01-01" },
        { type: "datetimepicker", initial_date_time: 1_700_000_000 },
        { type: "timepicker", placeholder: plain("When"), initial_time: "10:00" },
      ],
    },
    markdown:
      "[Open & see](https://a.example), `Approve`, [Run](https://w.example), Choose: A, B (B), C, D (**why**), E, Who (U1), " +
      "(2024-01-01), (<time:2023-11-14T22:13:20.000Z>), When (10:00)",
  },
  {
    block: {
      type: "input",
      label: plain("Name"),
      hint: plain("in full"),
      element: { type: "plain_text_input", placeholder: plain("Type"), initial_value: "x" },
    },
    markdown: "**Name**\nType (x)\nin full",
  },
  {
    block: {
      type: "input",
      label: plain("Text"),
      element: { type: "rich_text_input", initial_value: rich(section(words("a", { bold: true }))) },
    },
    markdown: "**Text**\n(**a**)",
  },
  { block: { type: "file", external_id: "ABC", source: "remote" }, markdown: "file ABC" },
  {
    block: {
      type: "video",
      title: plain("Film"),
      title_url: "https://v.example",
      author_name: "Ann",
      provider_name: "Tube",
      description: plain("About"),
      video_url: "https://v.example/e",
      alt_text: "alt",
    },
    markdown: "[Film](https://v.example) (Ann, Tube)\nAbout",
  },
  { block: { type: "markdown", text: "**hi** [a](https://a.example)" }, markdown: "**hi** [a](https://a.example)" },
  {
    block: {
      type: "table",
      rows: [
        [
          { type: "raw_text", text: "a|b" },
          { type: "raw_text", text: "n" },
        ],
        [rich(section(words("x", { bold: true }))), { type: "raw_number", value: 3 }],
      ],
    },
    markdown: "| a\\|b | n |\n|---|---|\n| **x** | 3 |",
  },
  {
    block: {
      type: "task_card",
      task_id: "1",
      title: "Do *it*",
      status: "in_progress",
      details: rich(section(words("how"))),
      output: rich(section(words("done"))),
      sources: [{ type: "url", url: "https://s.example", text: "S" }],
    },
    markdown: "**Do &#42;it&#42;** (in progress)\nhow\ndone\n[S](https://s.example)",
  },
  {
    block: {
      type: "plan",
      title: "Plan",
      tasks: [{ type: "task_card", title: "One", status: "complete" }, { title: "Two" }],
    },
    markdown: "**Plan**\n**One** (complete)\n\n**Two**",
  },
  { block: { type: "alert", level: "warning", text: marked("*low*") }, markdown: ":warning: **low**" },
  {
    block: {
      type: "card",
      hero_image: image,
      title: marked("*T*"),
      subtitle: marked("s"),
      body: marked("b"),
      actions: [button],
    },
    markdown: "[picture](https://a.example/i.png)\n**T**\ns\nb\n[Open & see](https://a.example)",
  },
  {
    block: {
      type: "carousel",
      elements: [
        { type: "card", title: marked("A") },
        { type: "card", title: marked("B") },
      ],
    },
    markdown: "A\n\nB",
  },
  {
    block: {
      type: "container",
      title: plain("C"),
      subtitle: marked("s"),
      child_blocks: [{ type: "section", text: marked("_in_") }],
    },
    markdown: "**C**\ns\n*in*",
  },
  {
    block: { type: "data_visualization", title: "Pie", chart: { type: "pie", segments: [{ label: "a", value: 1 }] } },
    markdown: "**Pie**\n* a: 1",
  },
  {
    block: {
      type: "data_visualization",
      title: "Bar",
      chart: {
        type: "bar",
        series: [
          {
            name: "s",
            data: [
              { label: "x", value: 1 },
              { label: "y", value: 2 },
            ],
          },
        ],
      },
    },
    markdown: "**Bar**\n* s: x: 1, y: 2",
  },
  {
    block: {
      type: "context_actions",
      elements: [
        { type: "feedback_buttons", positive_button: { text: plain("Good") }, negative_button: { text: plain("Bad") } },
        { type: "icon_button", icon: "trash", text: plain("Delete") },
      ],
    },
    markdown: "`Good`, `Bad`, `Delete`",
  },
  {
    block: { type: "call", call_id: "R1", call: { v1: { name: "Standup", join_url: "https://c.example" } } },
    markdown: "Standup\n[https://c.example](https://c.example)",
  },
  {
    block: {
      type: "future",
      block_id: "b",
      heading_text: marked("*new*"),
      items: [{ type: "section", text: marked("in") }, { label: "x &amp; y" }],
      help_url: "https://h.example",
    },
    markdown: "**new**\nin\nx & y\n[https://h.example](https://h.example)",
  },
  {
    block: rich(
      section(
        words("a "),
        words("b", { bold: true }),
        words("c", { bold: true }),
        words(" d", { italic: true, strike: true }),
      ),
      section(words("&amp; *x*", { code: true }), words(" &amp; *y*")),
      section(
        { type: "emoji", name: "wave", unicode: "1f44b" },
        { type: "emoji", name: "party_parrot" },
        { type: "color", value: "#ff0000" },
      ),
      section(
        { type: "user", user_id: "U1" },
        { type: "usergroup", usergroup_id: "S1" },
        { type: "team", team_id: "T1" },
        { type: "channel", channel_id: "C1" },
        { type: "broadcast", range: "here" },
      ),
      section({ type: "date", timestamp: 1_700_000_000, fallback: "day" }, { type: "date", fallback: "day" }),
      section(
        { type: "link", url: "https://l.example", text: "L", style: { bold: true } },
        { type: "future", text: "new" },
      ),
    ),
    markdown:
      "a **bc** *~~d~~*\n`&amp; *x*` &amp;amp; &#42;y&#42;\n\u{1F44B}:party_parrot:#ff0000\n@U1@S1@T1#C1@here\n" +
      "<time:2023-11-14T22:13:20.000Z>day\n**[L](https://l.example)**new",
  },
  {
    block: rich(
      listed("ordered", { offset: 2 }, "one", "two\nlines"),
      listed("bullet", { indent: 1 }, "deep"),
      { type: "rich_text_quote", elements: [words("q1\nq2")] },
      section(words("after")),
      {
        type: "rich_text_preformatted",
        elements: [words("*code*\n"), { type: "link", url: "https://l.example" }],
      },
    ),
    markdown: "3. one\n4. two\n   lines\n   * deep\n> q1\n> q2\n\nafter\n~~~~\n*code*\nhttps://l.example\n~~~~",
  },
]

export const attachments: ReadonlyArray<Shown & { readonly attachment: object }> = [
  {
    attachment: {
      fallback: "f",
      color: "danger",
      pretext: "*before*",
      author_name: "Ann &amp; Bob",
      author_link: "https://a.example",
      author_icon: "https://i.example",
      title: "T &lt;1&gt;",
      title_link: "https://t.example",
      text: "*t*",
      fields: [
        { title: "F &amp; G", value: "<https://v.example|v>", short: true },
        { title: "", value: "alone" },
      ],
      image_url: "https://i.example/p.png",
      footer: "foot",
      footer_icon: "https://i.example",
      ts: 1_700_000_000,
      actions: [
        { type: "button", text: "Go", url: "https://g.example" },
        { type: "button", text: "No", value: "n" },
        { type: "select", text: "Pick", options: [{ text: "A", value: "a" }] },
      ],
      mrkdwn_in: ["text"],
    },
    markdown:
      "**before**\n[Ann & Bob](https://a.example)\n[T <1>](https://t.example)\n**t**\n**F & G**: [v](https://v.example)\nalone\n" +
      "[image](https://i.example/p.png)\n[Go](https://g.example), `No`, Pick: A\nfoot | <time:2023-11-14T22:13:20.000Z>",
  },
  {
    attachment: { author_name: "Ann", author_subname: "of it", thumb_url: "https://i.example/t" },
    markdown: "Ann of it\n[image](https://i.example/t)",
  },
  { attachment: { fallback: "only &lt;f&gt;" }, markdown: "only <f>" },
  { attachment: { blocks: [{ type: "section", text: marked("*in*") }] }, markdown: "**in**" },
  { attachment: { message_blocks: [{ message: { text: "of elsewhere" } }] }, markdown: "of elsewhere" },
]
