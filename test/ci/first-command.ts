/** `tsx test/ci/first-command.ts`: runs a newcomer's first command, `npm run playground`. */
import { ROOT } from '../../src/base/package-root.ts'
import { freePort } from '../harness/redis.ts'
import { check, summary } from './facts.ts'
import { said, start, withEnds } from './started-process.ts'

await withEnds(async (ends) => {
  const port = await freePort()
  const address = `http://localhost:${port}`
  const playground = start(['npm', 'run', 'playground'], { cwd: ROOT, env: { PLAYGROUND_PORT: String(port) }, ends })
  await check('npm run playground tells its address', () => said(playground, new RegExp(address)))
  await check('it says that the model is a demo', () => /demo/.test(playground.output()))
  await check('its page is there', async () => (await (await fetch(address)).text()).includes('<!doctype html>'))
})
summary()
