/**
 * A new account is given the newest messages of its channels, and a direct message by Welcome Bot, in the commit that
 * makes it. Some clients crash for a user who has no message at all.
 */
import type { Step } from "../../../events/step.ts"
import type { ChannelId } from "../../../ids.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import type { UserRecord } from "../../ground/realm/records.ts"
import { welcomeBot } from "../../ground/realm/system-bots.ts"
import { noticeSteps } from "../../sending/notices/notices.ts"
import { giveHistory } from "./given-history.ts"

/** The limit for all of the channels together. */
const mostOldMessages = 1000

const greeting = `Welcome! Messages here are sent to channels, and each message of a channel belongs to a topic.

What was said before you came is there for you to read. This is a direct message: nobody but you sees it. \
I am a program and do not answer.`

/** These steps must come after the rows that make the account and subscribe it to the channels. */
export const welcomeSteps = (
  realm: Realm,
  user: UserRecord,
  channels: ReadonlyArray<ChannelId>,
): ReadonlyArray<Step> => [
  ...(channels.length === 0 ? [] : [giveHistory(user.id, channels, mostOldMessages)]),
  ...noticeSteps(realm, [{ user, from: welcomeBot(realm), content: greeting }]),
]
