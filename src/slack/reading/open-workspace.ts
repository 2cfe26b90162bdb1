import type { WorkspaceReader } from '../../agent/types.ts'
import type { QuestionWork } from '../question-work.ts'
import { readPermalink } from './read-permalink.ts'
import { searchWorkspace } from './search-workspace.ts'

/** Returns what a tool may read of the question's workspace. */
export function openWorkspace(work: QuestionWork): WorkspaceReader {
  return {
    search: (query, how) => searchWorkspace(query, how, work),
    readThread: (url, signal) =>
      readPermalink(url, { question: work.question, installation: work.installation, signal }),
  }
}
