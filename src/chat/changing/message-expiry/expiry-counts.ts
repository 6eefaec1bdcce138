/** How many messages this process has deleted for their age, for whoever watches the server. */
export const expiredMessages = { channel: 0, direct: 0 }
