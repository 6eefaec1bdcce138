/** The picture of people of whom a guest does not know: a figure without a face. A PNG of 100 x 100 pixels, our own. */
import type { PlainAnswer, PlainPages } from "../../../api/pages.ts"
import { unknownPicture } from "../../ground/realm/email-addresses.ts"

const picture: PlainAnswer = {
  status: 200,
  cacheSeconds: 24 * 3600,
  contentType: "image/png",
  body: Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAGQAAABkBAMAAACCzIhnAAAAMFBMVEW4vMT09ffs7fDc3uPw8vS6vsbIzNK8wMjo6u7z9PbS1NrA" +
      "xMvg4ubN0Nbm6OzW2N0L7fhuAAAACXBIWXMAAAsTAAALEwEAmpwYAAABmklEQVRYw+3Xv0vDQBQH8ECJgfqLi6GktVbaQVcz6Chm" +
      "LDgEdHJSR6fgX2AWJ5dCNxcddHHRUScFB0fFXSzOgg7ugpSYe3e593Jw233nfMjlfrx7cRwbGxubPHdP/eHJVRXxxv7ySRf7bJwl" +
      "qthieVZpwsv+SZiSyCErZJki3KxIwoRAaozLCoHs8aRBIF2e+LiYZiDPKJmB5B0lN5DMo+QckhZKHiBpoySDJERJDEmAkgEkTRNE" +
      "Y2Aan68xyRpLqbFhNLalxuaHRyw0c5A1ygVflDqJmdLneKPCS1JTZbxwWRybvJJ0Lj4bG8PxDtZ7/WHv45J4wBz3Na9L/hrp6E88" +
      "Fs/+5i4udmB3cYGJungl/SCj6jIhvnJsbsQkaaeU0sJH0ZXWB3LSPCslESvJHLHmU+p/VE5KXjPLFPmSkhcVWZCJyVhFgmvK7c3n" +
      "SEK+1WSx6rikI6sxJOLS3GLktMo6lqymG2MkSLBuRwzsf6Zwcg/INk421P2RLA2spRTTqjrH4iyPcNJRt4ey+FjfLllL7O9AUprG" +
      "j/4CIrmSMSRqhuUAAAAASUVORK5CYII=",
    "base64",
  ),
}

export const unknownPicturePages: PlainPages = { [unknownPicture]: () => picture }
