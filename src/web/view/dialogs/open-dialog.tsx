/** The dialog that is open. */
import type { DialogState } from "../../live/ui-state.ts"
import { ChannelSettings } from "./channel-settings.tsx"
import { AddSubscribers, Channels, NewChannel } from "./channels.tsx"
import { DraftList } from "./drafts.tsx"
import { Group, Groups, NewGroup } from "./groups.tsx"
import { KeyboardHelp } from "./keyboard-help.tsx"
import { DeleteMessage, EditHistory, PictureDialog, ScheduledMessages } from "./message-dialogs.tsx"
import { MoveMessages } from "./move-messages.tsx"
import { NewDirect } from "./new-direct.tsx"
import { OrganizationDialog } from "./organization.tsx"
import { Profile } from "./profile.tsx"
import { ReadReceipts } from "./read-receipts.tsx"
import { ServerStatus } from "./server-status.tsx"
import { SettingsDialog } from "./settings.tsx"

export const OpenDialog = ({ dialog }: { readonly dialog: DialogState }) => {
  if (dialog.kind === "keys") return <KeyboardHelp />
  if (dialog.kind === "profile") return <Profile user={dialog.user} />
  if (dialog.kind === "settings") return <SettingsDialog />
  if (dialog.kind === "organization") return <OrganizationDialog />
  if (dialog.kind === "channels") return <Channels />
  if (dialog.kind === "new-channel") return <NewChannel />
  if (dialog.kind === "add-people") return <AddSubscribers channel={dialog.channel} />
  if (dialog.kind === "channel-settings") return <ChannelSettings key={dialog.channel} channel={dialog.channel} />
  if (dialog.kind === "groups") return <Groups />
  if (dialog.kind === "group") return <Group key={dialog.group} group={dialog.group} />
  if (dialog.kind === "new-group") return <NewGroup />
  if (dialog.kind === "drafts") return <DraftList />
  if (dialog.kind === "readers") return <ReadReceipts message={dialog.message} />
  if (dialog.kind === "server") return <ServerStatus />
  if (dialog.kind === "new-direct") return <NewDirect />
  if (dialog.kind === "scheduled") return <ScheduledMessages />
  if (dialog.kind === "history") return <EditHistory message={dialog.message} />
  if (dialog.kind === "move") return <MoveMessages post={dialog.post} />
  if (dialog.kind === "delete") return <DeleteMessage post={dialog.post} />
  return <PictureDialog url={dialog.url} />
}
