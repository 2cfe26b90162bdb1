/** Every shape that the readers must accept. The tables, with a sentence each, are in test/fixtures/reader. */
import { describe, expect, test } from 'vitest'
import { readCompletion } from '../../src/commands/eval/score-parser.ts'
import * as bracket from '../fixtures/reader/bracket.ts'
import { TOOLS, type Case } from '../fixtures/reader/case.ts'
import * as labelStyles from '../fixtures/reader/label-styles.ts'
import * as json from '../fixtures/reader/json.ts'
import * as leaked from '../fixtures/reader/leaked.ts'
import { conversational, selfAsk } from '../fixtures/reader/others.ts'
import * as reasoning from '../fixtures/reader/reasoning.ts'
import * as text from '../fixtures/reader/text.ts'

const { PAPER, ...bracketShapes } = bracket

hold('text', text, TOOLS)
hold('text', reasoning, TOOLS)
hold('text', leaked, TOOLS)
hold('text', labelStyles, TOOLS)
hold('json', json, TOOLS)
hold('json', { harmony: reasoning.harmony }, TOOLS)
hold('json', { leaked: leaked.unread }, TOOLS)
hold('text', { withoutQuotes: json.withoutQuotes }, TOOLS)
hold('docstore', bracketShapes, PAPER)
hold('conversational', { conversational }, TOOLS)
hold('self-ask', { selfAsk }, TOOLS)

function hold(dialect: string, groups: Record<string, Case[]>, usual: string[]): void {
  describe.each(Object.entries(groups))(`${dialect}: %s`, (_group, cases) => {
    test.each(cases.map((each) => [each.name, each] as const))('%s', (_name, { completion, tools, expected }) => {
      expect(readCompletion(dialect, completion, tools ?? usual)).toEqual(expected)
    })
  })
}
