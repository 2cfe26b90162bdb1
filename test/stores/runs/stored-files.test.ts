/** Files of questions that were stored before files were read. */
import { expect, test } from 'vitest'
import { parseRun } from '../../../src/stores/runs/stored-run.ts'
import { question } from '../../harness/stores.ts'

test('files that were stored as names alone are read, and count as unknown to Slack', () => {
  const stored = JSON.stringify({ ...question('1'), files: ['report.pdf', { id: 'F1', name: 'b.pdf', size: 3 }] })
  expect(parseRun({ question: stored })?.question.files).toEqual([
    { id: '', name: 'report.pdf' },
    { id: 'F1', name: 'b.pdf', size: 3 },
  ])
})
