import type { PagePart } from './page-part.ts'

/** The fields of a trace that the list of runs shows, in the form of `npm run runs -- trace`. */
interface ShownTrace {
  id: string
  channel: string
  thread: string
  question: string
  startedAt: number
  endedAt?: number
  end?: string
  calls: readonly object[]
  posts?: Record<string, string>
}

/** The maximum number of runs that are kept for the page. */
const MAX_RUNS = 200

interface TracePart extends PagePart {
  /** Called with a trace each time it has grown. */
  take(trace: ShownTrace): void
}

/** The panel "Run": the exchanges of each run as they happen. */
export function runPart(): TracePart {
  const traces = new Map<string, ShownTrace>()
  const watchers = new Set<(trace: ShownTrace) => void>()
  return {
    take(trace) {
      traces.delete(trace.id)
      traces.set(trace.id, trace)
      for (const id of [...traces.keys()].slice(0, -MAX_RUNS)) traces.delete(id)
      for (const watch of watchers) watch(trace)
    },
    panel: 'run',
    gets: {
      '/traces': () => ({ runs: [...traces.values()].map(summaryOf) }),
      '/trace': (params) => {
        const trace = traces.get(params.get('id') ?? '')
        if (!trace) throw new Error('There is no such run here any more.')
        return { ...trace }
      },
    },
    watch(tell) {
      const watch = (trace: ShownTrace) => tell({ type: 'trace', run: summaryOf(trace) })
      watchers.add(watch)
      return () => void watchers.delete(watch)
    },
  }
}

/** Returns a trace without its calls. The page requests those separately. */
function summaryOf({ id, channel, thread, question, startedAt, endedAt, end, posts }: ShownTrace) {
  return { id, channel, thread, question: question.slice(0, 300), startedAt, endedAt, end, posts }
}
