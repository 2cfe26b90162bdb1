import { readFileSync } from 'node:fs'
import { Redis } from 'ioredis'
import { expect, test, type TestContext } from 'vitest'
import { createLog } from '../../../src/base/log.ts'
import { startBot } from '../../../src/bot.ts'
import { loadConfig, type Env } from '../../../src/config.ts'
import { startLocalSlack } from '../../../playground/slack/slack.ts'
import { envFor, peopleOf } from '../../harness/bot.ts'
import { makeCertificates, type Certificates } from '../../harness/certificates.ts'
import { finish, playModel } from '../../harness/played-model.ts'
import { startCommand } from '../../harness/command.ts'
import { describeWithRedis, freePort, startRedis } from '../../harness/redis.ts'
import { eventually } from '../../harness/stores.ts'

const CLUSTER = ['--cluster-enabled', 'yes', '--tls-cluster', 'yes', '--cluster-announce-ip', '127.0.0.1']

/** Starts a Redis that speaks only TLS, alone or as a Cluster of one. @returns its port */
async function startTlsRedis(t: TestContext, { ca, cert, key }: Certificates, isCluster: boolean): Promise<number> {
  const port = await freePort()
  const tls = ['--port', '0', '--tls-port', String(port), '--tls-auth-clients', 'no']
  const files = ['--tls-ca-cert-file', ca, '--tls-cert-file', cert, '--tls-key-file', key]
  const cluster = isCluster ? [...CLUSTER, '--cluster-port', String(await freePort())] : []
  const server = await startRedis([...tls, ...files, ...cluster])
  t.onTestFinished(() => server.stop())
  if (!isCluster) return port
  const redis = new Redis({ port, host: '127.0.0.1', tls: { ca: readFileSync(ca) } })
  t.onTestFinished(() => redis.disconnect())
  await redis.call('CLUSTER', 'ADDSLOTSRANGE', 0, 16_383)
  await eventually(async () => expect(await redis.call('CLUSTER', 'INFO')).toContain('cluster_state:ok'))
  return port
}

/**
 * Starts a Slack, a model that answers, and a Redis with the test's certificate. Returns a bot's environment, and
 * people.
 */
async function world(
  t: TestContext,
  isCluster: boolean,
): Promise<{ env: Env; ca: string } & ReturnType<typeof peopleOf>> {
  const slack = await startLocalSlack()
  t.onTestFinished(() => slack.close())
  const model = await playModel(t, [finish('Over TLS.')])
  const certificates = await makeCertificates(t)
  const port = await startTlsRedis(t, certificates, isCluster)
  const redis = { REDIS_URL: `rediss${isCluster ? '+cluster' : ''}://127.0.0.1:${port}` }
  return { env: { ...envFor({ slack, model }, 'socket'), ...redis }, ca: certificates.ca, ...peopleOf(slack) }
}

describeWithRedis.each([
  ['one server', false],
  ['a Cluster', true],
])('rediss:// to %s', { timeout: 90_000 }, (_, isCluster) => {
  test('with a certificate of an authority in NODE_EXTRA_CA_CERTS is accepted for every connection', async (t) => {
    const { env, ca, mention } = await world(t, isCluster)
    const bot = startCommand(t, 'src/main.ts', { env: { ...env, NODE_EXTRA_CA_CERTS: ca } })
    await bot.shows(/is ready.* kept in Redis/)
    expect(await (await mention('Are you there?')).lastAnswer()).toBe('Over TLS.')
    bot.signal('SIGTERM')
    expect((await bot.ended).code).toBe(0)
    expect(bot.stderr()).toBe('')
  })

  test('with an untrusted certificate ends the start with one sentence', async (t) => {
    const { env } = await world(t, isCluster)
    const lines: string[] = []
    const log = createLog('info', { write: (line) => void lines.push(line) })
    await expect(startBot(loadConfig(env, { serves: true }), { log })).rejects.toMatchObject({
      name: 'ConfigError',
      message: expect.stringMatching(
        /^Cannot connect to Redis at 127\.0\.0\.1:\d+ \(REDIS_URL\): its certificate is not trusted \(.*certificate.*\)\. .* NODE_EXTRA_CA_CERTS\.$/,
      ),
    })
    expect(lines.join('')).not.toMatch(/"level":[456]0/)
  })
})
