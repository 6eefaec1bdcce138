/** Faults in the features about organizations, people, and the server itself. */
import type { Fault } from "../fault.ts"

export const organizationFaults: ReadonlyArray<Fault> = [
  {
    name: "administrators switch ways to sign in",
    file: "src/chat/organization/organization/patch-realm.ts",
    find: "(authentication_methods !== undefined && !maySetSignIn(actor));",
    replace: "(authentication_methods !== undefined && !mayChangeRealm(actor));",
  },
  {
    name: "an export has what became private while it was made",
    file: "src/chat/organization/realm-exports/export-scope.ts",
    find: "if (reader === null ? channel.is_private : !stillReads(reader, channel))",
    replace: "if (reader !== null && !stillReads(reader, channel))",
  },
  {
    name: "the only owner may give their role away",
    file: "src/chat/people/users/roles/roles.ts",
    find: "if (isLastOwner(realm, user))",
    replace: "if (isLastOwner(realm, user) && actor.id !== user.id)",
  },
  {
    name: "commands are judged by the people of before their change",
    file: "src/chat/ground/kinds/realm-user-row.ts",
    find: "changesRules: true,",
    replace: "changesRules: false,",
  },
  {
    name: "an invitation to a role works whatever became of its inviter's own",
    file: "src/chat/people/invitations/invitation-rules.ts",
    find: "if (!realm.isActive(inviter.id) || inviter.is_bot || !mayInviteAs(inviter, invitation.role))",
    replace: "if (!realm.isActive(inviter.id))",
  },
  {
    name: "a message fits a queue that fits one term of its narrow",
    file: "src/chat/server/sync/queue-description.ts",
    find: "return terms.every((term) => term(facts, receiver));",
    replace: "return terms.some((term) => term(facts, receiver));",
  },
  {
    name: "whoever gets a new key keeps the old one",
    file: "src/chat/server/setup/setup-commands.ts",
    find: "key_version: known.key_version + 1 }",
    replace: "key_version: known.key_version }",
  },
]
