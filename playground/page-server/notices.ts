import type { PagePart } from './page-part.ts'
import type { Json } from '../slack/types.ts'

/** Notices for developers of the bot, in the terminal and on every open page. */
interface Notices {
  tell(text: string, isFault?: boolean): void
  part: PagePart
}

/**
 * Creates the notices. `print` writes to the terminal. A page that opens later gets the last notice if it is a fault.
 */
export function createNotices(print: (text: string) => void): Notices {
  const pages = new Set<(change: Json) => void>()
  let standing: Json | undefined
  return {
    tell(text, isFault = false) {
      const notice = { type: 'notice', text, isFault }
      standing = isFault ? notice : undefined
      print(text)
      for (const tell of pages) tell(notice)
    },
    part: {
      watch(tell) {
        pages.add(tell)
        if (standing) tell(standing)
        return () => void pages.delete(tell)
      },
    },
  }
}
