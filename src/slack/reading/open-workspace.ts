import type { WorkspaceReader } from '../../agent/contracts/tool.ts'
import type { QuestionWork } from '../question-work.ts'
import { partOf, readChannel, type ChannelReading } from './read-channel.ts'
import { readPermalink } from './read-permalink.ts'
import { searchWorkspace } from './search-workspace.ts'

/** Returns the reader of the question's workspace for tools. A channel is read once for all of its parts. */
export function openWorkspace(work: QuestionWork): WorkspaceReader {
  const { question, installation, services } = work
  const readings = new Map<string, Promise<ChannelReading>>()
  return {
    async readChannel({ part, ...wanted }, signal) {
      const key = JSON.stringify(wanted)
      const options = { question, installation, signal, now: services.now().getTime() }
      const reading = readings.get(key) ?? readChannel({ ...wanted, part }, options)
      readings.set(key, reading)
      reading.catch(() => readings.delete(key))
      return partOf(await reading, part)
    },
    search: (query, how) => searchWorkspace(query, how, work),
    readThread: (url, signal) => readPermalink(url, { question, installation, signal }),
  }
}
