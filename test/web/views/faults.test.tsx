/** What a refusal says to people, and which field of a form it is about. */
import t from "tap"
import { Refused, Unanswered } from "../../../src/client/index.ts"
import { faultField, faultText, lockedOut } from "../../../src/web/live/fault-texts.ts"
import { words } from "../../../src/web/words/words.ts"

const refused = (msg: string, code: "BAD_REQUEST" | "UNAUTHORIZED" | "RATE_LIMIT_HIT" = "BAD_REQUEST", status = 400) =>
  new Refused("PATCH /realm", status, { result: "error", code, msg }, null)

t.test("common refusals have words of the page, by code or sentence", async (t) => {
  const taken = { result: "error", code: "CHANNEL_ALREADY_EXISTS", msg: "Channel 'x' already exists" } as const
  const channel = new Refused("POST /channels/create", 409, taken, null)
  t.equal(faultText(channel), words.faults.CHANNEL_ALREADY_EXISTS)
  t.equal(faultField(channel, ["name", "description"]), "name")
  t.equal(faultText(refused("Slow down", "RATE_LIMIT_HIT", 429)), words.faults.RATE_LIMIT_HIT)
  for (const [msg, text] of [
    ["Insufficient permission", words.faults.UNAUTHORIZED_PRINCIPAL],
    ["User group 'x' already exists.", words.faults.nameTaken],
    ["Channel name can't be empty.", words.faults.empty],
    ["name cannot be blank", words.faults.empty],
    ["User group name cannot exceed 100 characters.", words.faults.tooLong],
    ["Invalid character in channel name, at position 3.", words.faults.badName],
    ["The only organization owner cannot be deactivated.", words.faults.CANNOT_DEACTIVATE_LAST_USER],
    ["What nobody has thought of", "What nobody has thought of"],
  ] as const)
    t.equal(faultText(refused(msg)), text, msg)
  t.equal(faultText(new Unanswered("PATCH /realm", "cut", true)), words.noAnswer)
})

t.test("a refused invitation names the addresses", async (t) => {
  const errors = [["x", "Enter a valid email address.", false]]
  const body = { result: "error", code: "INVITATION_FAILED", msg: "Some", errors, sent_invitations: true } as const
  const fault = new Refused("POST /invites", 400, body, null)
  t.equal(faultText(fault), words.notInvited("x", true))
  t.equal(faultField(fault, ["invitee_emails"]), "invitee_emails")
})

t.test("the field is the one that the sentence names, outside of what was typed", async (t) => {
  const fields = ["name", "description"]
  for (const [msg, field] of [
    ["name is too long (limit: 40 characters)", "name"],
    ["description is too long (limit: 1024 characters)", "description"],
    ["User group 'description' already exists: choose another name", "name"],
    ["Insufficient permission", null],
  ] as const)
    t.equal(faultField(refused(msg), fields), field, msg)
  t.equal(faultField(refused("Name too long!"), ["full_name", "status_text"]), "full_name")
  t.equal(faultField(refused("status_text is too long"), ["full_name", "status_text"]), "status_text")
})

t.test("who is let in no more is told why", async (t) => {
  t.equal(lockedOut(refused("Invalid API key", "UNAUTHORIZED", 401)), "key")
  t.equal(lockedOut(refused("Account is deactivated", "UNAUTHORIZED", 401)), "deactivated")
  t.equal(lockedOut(refused("Not today")), null)
})
