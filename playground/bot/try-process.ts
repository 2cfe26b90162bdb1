/** Tries a prompt for `npm run dev`: reads a TryRequest from stdin, and writes a Tried to stdout, each as JSON. */
import { json } from 'node:stream/consumers'
import { loadConfig, readEnv } from '../../src/config.ts'
import { createLog } from '../../src/base/log.ts'
import { createStores } from '../../src/question/stores/open-stores.ts'
import { createTrier, type TryRequest } from './try-prompts.ts'

const config = loadConfig(readEnv(''))
const stores = await createStores(config, { log: createLog('silent'), now: Date.now })
const tried = await createTrier(config, stores).run((await json(process.stdin)) as TryRequest)
process.stdout.write(`${JSON.stringify(tried)}\n`, () => process.exit(0))
