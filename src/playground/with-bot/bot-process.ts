/** A bot in a process of its own, which `npm run dev` ends and starts anew. What cannot be loaded is told in a sentence. */
import type { BotOrders } from './bot-in-process.ts'
import { sentenceOf } from './fault-sentence.ts'

process.once('message', (orders) => {
  // Loaded now, so that a fault in any file is told too.
  import('./bot-in-process.ts')
    .then(({ runBot }) => runBot(orders as BotOrders))
    .catch((error: unknown) => {
      process.send?.({ type: 'failed', why: sentenceOf(error) }, () => process.exit(1))
    })
})
// The parent is gone: nobody is left to work for.
process.on('disconnect', () => process.exit(0))
