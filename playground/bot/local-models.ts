/** The models that already run on this machine, offered on the page beside the demo. Nothing is chosen by itself. */
import { answerFinding } from '../../src/commands/doctor/model-findings.ts'
import { createLog } from '../../src/base/log.ts'
import type { Network } from '../../src/base/http/proxy.ts'
import { loadConfig } from '../../src/config.ts'
import { createModels } from '../../src/model/choose-model.ts'
import { localEndpoints } from '../../src/model/local-endpoints.ts'
import { ListedWindows } from '../../src/model/model-list.ts'
import type { ChosenModel } from '../../src/question/agent/agent-parts.ts'
import { chooseDialect, PATIENT_PROBE_MS } from '../../src/question/agent/choose-dialect.ts'
import { required } from '../slack/args.ts'
import { forwardUpstream } from '../model/forward-upstream.ts'
import type { Upstream } from '../model/model-pieces.ts'
import type { PagePart } from '../page-server/page-part.ts'
import type { Json } from '../slack/types.ts'

/** The id of the demo among the choices. */
const DEMO = 'demo'

interface LocalModelsOptions {
  /** The ports to look at. */
  ports: readonly string[]
  net: Network
  /** Milliseconds since the epoch. */
  now: () => number
}

/** A model that a server on this machine lists. */
interface FoundModel {
  id: string
  name: string
  server: string
  baseUrl: string
}

interface UsedModel {
  found: FoundModel
  chosen: ChosenModel
  upstream: Upstream
}

function noteOf({ found, chosen: { dialect, window } }: UsedModel): string {
  const size = window === undefined ? '' : ` and a window of ${window.toLocaleString('en')} tokens`
  return `Model: ${found.name}, real, by ${found.server} on this machine (${found.baseUrl}), with AGENT_DIALECT=${dialect}${size}.`
}

/** The model in use: the demo, or one of this machine. */
export class LocalModels {
  readonly #options: LocalModelsOptions
  readonly #watchers = new Set<(change: Json) => void>()
  #found: FoundModel[] = []
  #used: UsedModel | undefined
  /** Called after each choice, before the page is told. */
  onChange: () => Promise<void> | void = () => undefined

  constructor(options: LocalModelsOptions) {
    this.#options = options
  }

  /** The chosen model; undefined for the demo. */
  readonly chosen = (): ChosenModel | undefined => this.#used?.chosen

  readonly upstreamOf = (model: string): Upstream | undefined =>
    this.#used?.chosen.name === model ? this.#used.upstream : undefined

  get part(): PagePart {
    return {
      panel: 'models',
      notes: ({ notes }) =>
        this.#used
          ? { model: this.#used.found.name, isDemo: false, notes: [noteOf(this.#used), ...notes.slice(1)] }
          : {},
      gets: { '/models': () => this.#choices() },
      posts: { '/model': (body) => this.#use(required(body, 'id')) },
      watch: (tell) => {
        this.#watchers.add(tell)
        return () => void this.#watchers.delete(tell)
      },
    }
  }

  /** Looks again each time, so that a server that has started since is found. */
  async #choices(): Promise<Json> {
    const servers = await localEndpoints(this.#options.ports)
    this.#found = servers.flatMap(({ server, baseUrl, models }) =>
      models.map((name) => ({ id: `${baseUrl} ${name}`, name, server, baseUrl })),
    )
    const used = this.#used?.found
    const all = used && !this.#found.some(({ id }) => id === used.id) ? [used, ...this.#found] : this.#found
    return {
      models: [
        { id: DEMO, name: 'Demo', about: 'recordings and rules, no language model', isUsed: !used },
        ...all.map(({ id, name, server, baseUrl }) => ({
          ...{ id, name, isUsed: used?.id === id },
          about: `${server} on this machine, port ${new URL(baseUrl).port}`,
        })),
      ],
    }
  }

  /** @throws Error with a sentence if the model does not answer */
  async #use(id: string): Promise<void> {
    const found = this.#found.find((one) => one.id === id)
    if (!found && id !== DEMO) throw new Error('This model is no longer there. Reload the page to see which are.')
    this.#used = found && { found, ...(await this.#tried(found)) }
    await this.onChange()
    for (const tell of this.#watchers) tell({ type: 'model' })
  }

  /** Makes a small call, and finds out which dialect and window fit. */
  async #tried({ name, baseUrl }: FoundModel) {
    const { net, now } = this.#options
    const config = loadConfig({ OPENAI_BASE_URL: baseUrl, OPENAI_MODEL: name, AGENT_DIALECT: 'auto' })
    const log = createLog('silent')
    const { model } = createModels({ config, log, net, now })
    const { outcome, sentence } = await answerFinding(model, name, now)
    if (outcome === 'fault') throw new Error(`${name}: ${sentence}`)
    const window = await new ListedWindows({ config, net, now }).of(name)
    const dialect = await chooseDialect(config, model, { log, probeMs: PATIENT_PROBE_MS })
    return {
      chosen: { name, dialect, ...(window !== undefined && { window }) },
      upstream: forwardUpstream({ baseUrl, fetch: net.fetch ?? globalThis.fetch }),
    }
  }
}
