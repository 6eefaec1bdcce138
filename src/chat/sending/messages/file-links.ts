/** The uploaded files that a message links, as the SQL functions that store messages take them. */
import type { UserId } from "../../../ids.ts"
import type { ClaimedFile } from "../../ground/files/file-claims.ts"
import { linkedFileRow } from "../../ground/kinds/attachment-row.ts"
import { mayReadHistory } from "../../ground/permissions/permissions.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import type { ChannelRecord } from "../../ground/realm/records.ts"

/** Whether somebody may read what is sent to a channel now. */
export const readsChannel = (realm: Realm, channel: ChannelRecord, user: UserId): boolean => {
  const record = realm.users.get(user)
  return record !== undefined && (realm.isSubscribed(channel.id, user) || mayReadHistory(realm, record, channel))
}

/** `shown`: whether the file's owner may read the message, and so learns that it links the file. */
export interface FileLink {
  readonly id: number
  readonly shown: boolean
}

/**
 * `files` and `file_row` of send_messages_v5, link_files_v1 and relink_files_v1; nothing where there is no file.
 * `reads`: whether a file's owner may read the message.
 */
export const fileLinks = (files: ReadonlyArray<ClaimedFile>, reads: (owner: UserId) => boolean) =>
  files.length === 0
    ? {}
    : { files: files.map(({ id, owner }): FileLink => ({ id, shown: reads(owner) })), file_row: linkedFileRow }
