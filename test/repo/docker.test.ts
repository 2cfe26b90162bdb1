import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import ts from 'typescript'
import { describe, expect, onTestFinished, test } from 'vitest'
import { load, YAML11_SCHEMA } from 'js-yaml'
import { z } from 'zod'
import { loadConfig } from '../../src/config.ts'
import { ROOT } from '../../src/base/package-root.ts'
import { copyOf, readDockerfile } from '../harness/dockerfile.ts'
import { describeWithCompose } from '../harness/compose.ts'
import { textOf } from '../harness/project-files.ts'
import { sourcesIn, visit } from '../harness/source.ts'

const service = z.object({
  profiles: z.array(z.string()).optional(),
  env_file: z.string().optional(),
  environment: z.record(z.string(), z.unknown()).optional(),
  depends_on: z.record(z.string(), z.object({ condition: z.string() })).optional(),
  stop_grace_period: z.string().optional(),
  command: z.array(z.string()).optional(),
  volumes: z.array(z.string()).optional(),
  healthcheck: z.object({ test: z.array(z.string()) }).optional(),
  mem_limit: z.string(),
  pids_limit: z.number(),
  logging: z.object({ driver: z.literal('json-file'), options: z.record(z.string(), z.string()) }),
})
const compose = z
  .object({ services: z.record(z.string(), service) })
  .parse(load(textOf('docker-compose.yml'), { schema: YAML11_SCHEMA }))

describe('docker-compose.yml', () => {
  const { bot, redis } = compose.services

  test('gives the bot every setting of .env, and sets only container-internal ones', () => {
    expect(bot?.env_file).toBe('.env')
    expect(Object.keys(bot?.environment ?? {}).toSorted()).toEqual(['HOST', 'METRICS_PORT', 'PORT', 'REDIS_URL'])
  })

  test('starts the bot and Redis by default, a front, workers and dashboards only by name', () => {
    const started = Object.entries(compose.services).filter(([, { profiles }]) => !profiles)
    expect(started.map(([name]) => name).toSorted()).toEqual(['bot', 'redis'])
    const command = 'docker compose up -d --build --scale worker=3 front worker grafana'
    for (const name of ['docs/operate.md', 'ops/README.md', 'docker-compose.yml'])
      expect(textOf(name)).toContain(command)
  })

  test('each service has the role of its name', () => {
    const roles = ['bot', 'front', 'worker'].map(
      (name) => compose.services[name]?.environment?.['ROLE'] ?? 'as in .env',
    )
    expect(roles).toEqual(['as in .env', 'front', 'worker'])
  })

  test('gives the bot enough time to stop', () => {
    expect(Number.parseInt(bot?.stop_grace_period ?? '', 10) * 1000).toBeGreaterThan(loadConfig({}).SHUTDOWN_MS)
  })

  test('bounds the memory, the processes and the logs of every container', () => {
    for (const { mem_limit, pids_limit, logging } of Object.values(compose.services)) {
      expect(bytesOf(mem_limit)).toBeGreaterThanOrEqual(bytesOf('512m'))
      expect(pids_limit).toBeGreaterThan(0)
      expect(Object.keys(logging.options).toSorted()).toEqual(['max-file', 'max-size'])
    }
    // The maximum memory of the bot and its file readers (SECURITY.md).
    expect(bytesOf(bot?.mem_limit ?? '')).toBeGreaterThan(900e6)
  })

  test('leaves Redis half of its container for the rewrite of its file', () => {
    const [, most = ''] = /--maxmemory (\d+mb)/.exec(redis?.command?.join(' ') ?? '') ?? []
    expect(bytesOf(most)).toBeGreaterThan(0)
    expect(bytesOf(most) * 2).toBeLessThanOrEqual(bytesOf(redis?.mem_limit ?? ''))
  })

  test('persists Redis, which never evicts keys', () => {
    expect(redis?.command?.join(' ')).toContain('--appendonly yes')
    expect(redis?.command?.join(' ')).toContain('--maxmemory-policy noeviction')
    expect(redis?.volumes?.some((volume) => volume.endsWith(':/data'))).toBe(true)
    expect(redis?.healthcheck?.test?.join(' ')).toContain('redis-cli')
    expect(bot?.depends_on?.['redis']?.condition).toBe('service_healthy')
  })
})

/** Returns `512m`, `512mb` or `1g` in bytes, as Docker and Redis parse them. */
function bytesOf(size: string): number {
  const [, digits = 'NaN', unit = ''] = /^(\d+)([mg])b?$/.exec(size) ?? []
  return Number(digits) * (unit === 'g' ? 1024 : 1) * 1024 ** 2
}

describeWithCompose('docker-compose config', () => {
  test('accepts .env.example as it is', () => {
    const folder = mkdtempSync(join(tmpdir(), 'thinkaloud-compose-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    copyFileSync(join(ROOT, 'docker-compose.yml'), join(folder, 'docker-compose.yml'))
    copyFileSync(join(ROOT, '.env.example'), join(folder, '.env'))
    const { status, stderr } = spawnSync('docker-compose', ['config', '--quiet'], { cwd: folder, encoding: 'utf8' })
    expect(stderr).toBe('')
    expect(status).toBe(0)
  })
})

describe('Dockerfile', () => {
  const stages = readDockerfile(textOf('Dockerfile'))
  const last = stages.at(-1)!
  const copied = (stage: typeof last) =>
    stage.instructions.filter(({ name }) => name === 'COPY').flatMap((copy) => copyOf(copy).from)

  test('copies only files that git tracks and .dockerignore admits', () => {
    const fromHere = stages
      .flatMap(({ instructions }) => instructions)
      .filter(({ name, flags }) => name === 'COPY' && !flags['from'])
    const paths = fromHere.flatMap((copy) => copyOf(copy).from)
    const known = (path: string) => spawnSync('git', ['ls-files', path], { cwd: ROOT, encoding: 'utf8' }).stdout !== ''
    const ignore = textOf('.dockerignore').split('\n')
    expect(ignore).toContain('*')
    expect(paths.filter((path) => !known(path) || !ignore.includes(`!${path}`))).toEqual([])
  })

  test('builds an image with the build, its packages and every folder that the code reads', () => {
    const held = copied(last).map((path) => path.replace('/app/', ''))
    expect(held).toEqual(expect.arrayContaining(['package.json', 'node_modules', 'dist']))
    expect(foldersRead().filter((folder) => !held.includes(folder))).toEqual([])
  })

  test('starts what npm start starts, as an unprivileged user, with a health check', () => {
    const { scripts } = JSON.parse(textOf('package.json')) as { scripts: { start: string } }
    const only = (name: string) =>
      last.instructions.filter((instruction) => instruction.name === name).map(({ rest }) => rest)
    expect(JSON.parse(only('CMD')[0] ?? '')).toEqual(scripts.start.split(' '))
    expect(only('USER')).toEqual(['node'])
    expect(only('HEALTHCHECK')[0]).toContain('/healthz')
  })

  test('is built on a Node that package.json allows', () => {
    const versions = stages.map(({ image }) => Number(/^node:(\d+)/.exec(image)?.[1]))
    expect(new Set(versions).size).toBe(1)
    expect(versions[0]).toBeGreaterThanOrEqual(20)
  })
})

/** Returns the folders in `join(ROOT, 'prompts')`. The local Slack reads its own, which is not in the image. */
function foldersRead(): string[] {
  const folders = new Set<string>()
  for (const { tree } of sourcesIn('src', 'tools').filter(
    ({ path, text }) => !path.startsWith('playground/slack/') && text.includes('(ROOT,'),
  )) {
    visit(tree, (node) => {
      if (!ts.isCallExpression(node) || node.arguments[0]?.getText() !== 'ROOT') return
      const [, folder] = node.arguments
      if (folder && ts.isStringLiteral(folder)) folders.add(folder.text.split('/')[0]!)
    })
  }
  return [...folders]
}
