/**
 * The one emoji that every server has beside those of Unicode. Clients name it and its address themselves; the picture is
 * our own, a speech bubble.
 */
export const ownEmoji = { name: "zulip", address: "/static/generated/emoji/images/emoji/unicode/zulip.png" } as const

/** A PNG of 64 x 64 pixels. */
export const ownEmojiPicture = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAEAAAABABAMAAABYR2ztAAAAMFBMVEVMaXE6baU6bqU6bqQ6baU6bqU9ZqMqf6o5bqI7bqX///9l" +
    "jbmSr87F1OXH1eVWgrHeHYq0AAAACXRSTlMA20+ohvQEBhb9OhkxAAAACXBIWXMAAAsTAAALEwEAmpwYAAAA50lEQVRIx2NgGDaA" +
    "XVl0JgYINCqAK1CciRUIweRTZuIAblAFnrgUTIHIM83ECRTACgpxKxAHK9DErWASWIElbgWTwQokcSuYCFYQiVvBVLCCmXjAkFOw" +
    "5zQ6iapg3qpVL1FJNAWvVq1ai0qiKpi9Cgh2IpNoCuaABE8ik6QqIGgFQUeCvHYTlSQ1oIZ6eiCY7AlmHIJZj2DmTSSU/QkWIASL" +
    "IMKFGMFikIENe0GagFrcolqLBUDCVoGAAiEG/AomNhBQYMGAX8HkBAIKHBjwKwjCX+3MnKhAQIEEgYprcgMBBW6Dt9IFABrYyMWp" +
    "O5NtAAAAAElFTkSuQmCC",
  "base64",
)
