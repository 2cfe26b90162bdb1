import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { load } from 'js-yaml'
import { z } from 'zod'
import { BOB } from '../../playground/slack/slack.ts'
import { ROOT } from '../../src/base/package-root.ts'
import { startBot } from '../harness/bot.ts'
import { describeWithCompose } from '../harness/compose.ts'
import { fileEnds } from '../harness/ends.ts'
import { act, finish } from '../harness/played-model.ts'
import { scrape, type Scrape } from '../harness/scrape.ts'
import { codeIn, tableUnder } from '../harness/markdown.ts'
import { textOf } from '../harness/project-files.ts'
import { eventually } from '../harness/stores.ts'

const ends = fileEnds()

const panel = z.object({
  id: z.number(),
  type: z.string(),
  title: z.string(),
  gridPos: z.object({ x: z.number(), y: z.number(), w: z.number(), h: z.number() }),
  datasource: z.object({ uid: z.string() }).optional(),
  targets: z.array(z.object({ expr: z.string(), legendFormat: z.string() })).optional(),
})
const dashboard = z
  .object({ uid: z.string(), panels: z.array(panel) })
  .parse(JSON.parse(textOf('ops/grafana/dashboards/thinkaloud.json')))
const rule = z.object({
  alert: z.string(),
  expr: z.string(),
  labels: z.object({ severity: z.enum(['page', 'ticket']) }),
  annotations: z.object({ summary: z.string().min(20) }),
})
const alerts = z
  .object({ groups: z.array(z.object({ rules: z.array(rule) })) })
  .parse(load(textOf('ops/alerts.yml')))
  .groups.flatMap(({ rules }) => rules)
const queries = dashboard.panels.flatMap(({ title, targets = [] }) => targets.map((target) => ({ title, ...target })))

/** The labels that Prometheus adds to every sample, and the metric that it creates itself. */
const ADDED_LABELS = ['job', 'instance', 'service']
const ADDED_METRICS = ['up']

describe('the dashboard', () => {
  let seen: Scrape

  // A bot after most kinds of events: an answer with a tool, a refusal, a dead model, a Slack that refuses.
  beforeAll(async () => {
    const env = { METRICS_PORT: '0', LIMIT_USER_HOUR: '1' }
    const bot = await startBot(ends, {
      mode: 'socket',
      model: [act('A sum.', 'calculator', '2+3'), finish('It is 5.')],
      env,
    })
    bot.model.on('dead', { status: 401 })
    await (await bot.mention('What is 2+3?')).ended()
    await bot.mention('And 3+4?')
    await (await bot.mention('Are you dead?', { user: BOB })).ended()
    await eventually(async () => {
      seen = await scrape(bot.bot.metricsPort!)
      expect(seen.value('thinkaloud_questions_total')).toBe(2)
      expect(seen.value('thinkaloud_refusals_total')).toBe(1)
    })
  })

  test('uses only existing metrics and labels', () => {
    const faults = queries.flatMap(({ title, expr }) =>
      selectorsIn(expr).flatMap((selector) => faultsOf(selector, seen, title)),
    )
    expect(queries.length).toBeGreaterThan(30)
    expect(faults).toEqual([])
  })

  test('uses only labels in legends that its queries keep', () => {
    const faults = queries.filter(({ expr, legendFormat }) => {
      const kept = [...grouping(expr), ...(/\bby\b/.test(expr) ? [] : [...ADDED_LABELS])]
      return [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].some(([, label]) => !kept.includes(label!))
    })
    expect(faults).toEqual([])
  })

  test('shows every metric of the bot', () => {
    const own = new Set(seen.samples.map(({ name }) => base(name)).filter((name) => name.startsWith('thinkaloud_')))
    const shown = new Set(queries.flatMap(({ expr }) => selectorsIn(expr).map(({ name }) => base(name))))
    expect([...own].filter((name) => !shown.has(name))).toEqual([])
  })

  test('has no overlapping panels, each with the provisioned data source', () => {
    const ids = dashboard.panels.map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
    const cells = dashboard.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, i) => `${x + (i % w)},${y + Math.floor(i / w)}`),
    )
    expect(new Set(cells).size).toBe(cells.length)
    const source = z.object({ datasources: z.array(z.object({ uid: z.string(), url: z.string() })) })
    const { datasources } = source.parse(load(textOf('ops/grafana/provisioning/datasources/prometheus.yml')))
    const used = new Set(dashboard.panels.flatMap((one) => one.datasource?.uid ?? []))
    expect([...used]).toEqual(datasources.map(({ uid }) => uid))
  })

  test('the alerts use only existing metrics and labels', () => {
    const faults = alerts.flatMap(({ alert, expr }) =>
      selectorsIn(expr).flatMap((selector) => faultsOf(selector, seen, alert)),
    )
    expect(alerts.length).toBeGreaterThan(5)
    expect(faults).toEqual([])
  })

  test('and the README of ops list the same metrics', () => {
    const told = [...textOf('ops/README.md').matchAll(/`(thinkaloud_\w+)/g)].map(([, name]) => name!)
    const own = new Set(seen.samples.map(({ name }) => base(name)).filter((name) => name.startsWith('thinkaloud_')))
    expect(told.toSorted()).toEqual([...own].sort())
  })
})

interface Selector {
  name: string
  /** The labels in its braces, and those that its aggregation keeps. */
  labels: string[]
}

/** Returns the metrics that a PromQL expression selects. Words before a parenthesis are functions. */
function selectorsIn(expr: string): Selector[] {
  const plain = expr.replace(/\bby \([^)]*\)/g, '')
  const names = [...plain.matchAll(/\b([a-z_][\w:]*)\b(?:\{([^}]*)\})?(?!\s*[({"=!~\w])/g)].filter(([, name]) =>
    /_|^up$/.test(name!),
  )
  return names
    .filter(([, name]) => name !== '__rate_interval')
    .map(([, name, matchers = '']) => {
      const matched = [...matchers.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label]) => label!)
      return { name: name!, labels: [...matched, ...grouping(expr)] }
    })
}

function grouping(expr: string): string[] {
  return [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, labels]) =>
    labels!.split(',').map((label) => label.trim()),
  )
}

function faultsOf({ name, labels }: Selector, seen: Scrape, title: string): string[] {
  if (ADDED_METRICS.includes(name)) return []
  if (!seen.samples.some((sample) => sample.name === name)) return [`${title}: no metric ${name}`]
  const strange = labels.filter((label) => !ADDED_LABELS.includes(label) && seen.values(name, label).length === 0)
  return strange.map((label) => `${title}: ${name} has no label ${label}`)
}

/** Returns a histogram's name, without its samples' suffix. */
function base(name: string): string {
  return name.replace(/_(bucket|sum|count)$/, '')
}

test('docs/operate.md has instructions for exactly these alerts', () => {
  const told = tableUnder('| alert |', textOf('docs/operate.md')).map(([name]) => codeIn(name))
  expect(told).toEqual(alerts.map(({ alert }) => alert))
})

test('the queries are parsed as by Prometheus', () => {
  const expr =
    'histogram_quantile(0.95, sum by (le, tool) (rate(a_seconds_bucket{outcome!="ok", of=~"x|y_z"}[$__rate_interval]))) / sum(up)'
  expect(selectorsIn(expr).map(({ name, labels }) => `${name}: ${labels.join()}`)).toEqual([
    'a_seconds_bucket: outcome,of,le,tool',
    'up: le,tool',
  ])
})

const service = z.object({
  image: z.string().optional(),
  environment: z.record(z.string(), z.unknown()).optional(),
  command: z.unknown().optional(),
  profiles: z.array(z.string()).optional(),
  volumes: z.array(z.string()).optional(),
  ports: z.array(z.string()).optional(),
})
type Service = z.infer<typeof service>

describeWithCompose('docker-compose --profile scale', () => {
  let found: Record<string, Service>

  // The file as docker-compose parses it, in a folder with only what it needs.
  beforeAll(() => {
    const folder = mkdtempSync(join(tmpdir(), 'thinkaloud-scale-'))
    ends.onTestFinished(() => rmSync(folder, { recursive: true }))
    for (const part of ['docker-compose.yml', 'ops']) cpSync(join(ROOT, part), join(folder, part), { recursive: true })
    writeFileSync(join(folder, '.env'), '')
    const how = { cwd: folder, encoding: 'utf8' } as const
    const { status, stdout, stderr } = spawnSync('docker-compose', ['--profile', 'scale', 'config'], how)
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    found = z.object({ services: z.record(z.string(), service) }).parse(load(stdout)).services
  })

  test('adds a front, workers, Prometheus and Grafana to the bot and its Redis, and nothing to the plain start', () => {
    const { front, worker, redis } = found
    expect(front?.environment).toMatchObject({ ROLE: 'front', REDIS_URL: 'redis://redis:6379' })
    expect(worker?.environment).toMatchObject({ ROLE: 'worker', REDIS_URL: 'redis://redis:6379' })
    expect(redis?.command).toEqual(expect.arrayContaining(['--appendonly', 'yes']))
    const scaled = Object.keys(found).filter((name) => found[name]?.profiles?.includes('scale'))
    expect(scaled.sort()).toEqual(['front', 'grafana', 'prometheus', 'worker'])
    expect(
      Object.keys(found)
        .filter((name) => !scaled.includes(name))
        .sort(),
    ).toEqual(['bot', 'redis'])
  })

  test('lets several workers run: they publish no port', () => {
    expect(found['worker']?.ports).toBeUndefined()
    const ports = Object.values(found).flatMap(({ ports = [] }) => ports.map((port) => port.split(':')[1]))
    expect(new Set(ports).size).toBe(ports.length)
  })

  test('mounts only files that git has', () => {
    const mounted = Object.values(found).flatMap(({ volumes = [] }) => volumes)
    const ops = mounted.flatMap((volume) => /\/(ops\/[^:]+):/.exec(volume)?.[1] ?? [])
    const files = ['ops/alerts.yml', 'ops/grafana/dashboards', 'ops/grafana/provisioning', 'ops/prometheus.yml']
    expect(ops.sort()).toEqual(files)
    const known = (path: string) => spawnSync('git', ['ls-files', path], { cwd: ROOT, encoding: 'utf8' }).stdout
    expect(ops.filter((path) => known(path) === '')).toEqual([])
  })

  test('mounts the alerts where Prometheus reads them', () => {
    const { rule_files } = z.object({ rule_files: z.array(z.string()) }).parse(load(textOf('ops/prometheus.yml')))
    const mounted = (found['prometheus']?.volumes ?? []).find((volume) => volume.includes('/ops/alerts.yml:'))
    expect(rule_files).toEqual([mounted?.split(':')[1]])
  })

  test('lets Prometheus scrape every process at its metrics port', () => {
    const discovery = z.object({ names: z.array(z.string()), port: z.number() })
    const jobs = z.array(z.object({ dns_sd_configs: z.array(discovery) }))
    const { scrape_configs } = z.object({ scrape_configs: jobs }).parse(load(textOf('ops/prometheus.yml')))
    const [scraped] = scrape_configs.flatMap((job) => job.dns_sd_configs)
    const ours = Object.keys(found).filter((name) => found[name]?.image === 'thinkaloud')
    expect(scraped?.names.toSorted()).toEqual(ours.sort())
    for (const name of ours) expect(found[name]?.environment?.['METRICS_PORT']).toBe(scraped?.port)
  })
})
