import { expect, test } from 'vitest'
import { startBot } from '../harness/bot.ts'
import { describeWithRedis, startRedis } from '../harness/redis.ts'
import { eventually } from '../harness/stores.ts'

describeWithRedis('/readyz', () => {
  test('says that Redis is unreachable', async (t) => {
    const server = await startRedis()
    const { bot } = await startBot(t, { env: { REDIS_URL: server.url, SHUTDOWN_MS: '500' } })
    await server.stop()
    await eventually(async () => {
      const response = await fetch(`http://127.0.0.1:${bot.port}/readyz`)
      expect([response.status, await response.text()]).toEqual([
        503,
        'not ready: Redis is unreachable or refuses writes\n',
      ])
    })
  })
})
