/**
 * DuckDuckGo's Instant Answers
 * (https://duckduckgo.com/duckduckgo-help-pages/features/instant-answers-and-other-features): its only interface for
 * programs that needs no key. It covers topics (people, places, things) rather than the whole web and often has no
 * answer, which the tool then says. The HTML pages are not used, because they answer bots with a puzzle.
 */
import { z } from 'zod'
import type { Tool, ToolOutput } from '../src/agent/contracts/tool.ts'
import { ToolError } from '../src/base/errors.ts'
import { oneLine, parseServiceJson, serviceSources, withQuery } from './service-response.ts'
import { queryText } from './query-text.ts'
import { serviceOf, type ToolParts } from './tool-settings.ts'
import { defineTool } from '../src/agent/define-tool.ts'

const DUCKDUCKGO = 'https://api.duckduckgo.com/'
const MAX_TOPICS = 5

const words = z.string().catch('')
const topicSchema = z.object({ Text: words, FirstURL: words })
const topicsSchema = z.array(z.union([z.object({ Topics: z.array(topicSchema) }), topicSchema])).catch([])

const answerSchema = z.object({
  Heading: words,
  Answer: words, // an object if the answer is a widget, which has no text
  AbstractText: words,
  AbstractURL: words,
  Definition: words,
  DefinitionURL: words,
  RelatedTopics: topicsSchema,
})

type InstantAnswer = z.infer<typeof answerSchema>

export function duckduckgo({ http, settings }: ToolParts): Tool {
  const { url, fetch } = serviceOf(http, settings.DUCKDUCKGO_URL, DUCKDUCKGO, { name: 'duckduckgo' })

  return defineTool({
    name: 'duckduckgo',
    title: 'DuckDuckGo',
    description: 'Looks up facts about a topic on DuckDuckGo. Input: a short name or term.',
    schema: z.object({ query: queryText().min(1).describe('name of a topic') }),
    async run({ query }, { signal }) {
      const parameters = { q: query, format: 'json', no_html: '1', no_redirect: '1', t: 'thinkaloud' }
      const { status, body } = await fetch(withQuery(url, parameters), { signal })
      // DuckDuckGo rejects frequent requests with 202.
      if (status !== 200) throw new ToolError(`duckduckgo rejected the request (${status}).`)
      const answer = answerSchema.safeParse(parseServiceJson(body, 'duckduckgo')).data
      return (answer && bestOf(answer)) ?? nothing(query)
    },
  })
}

/** Returns the first of an answer, an abstract, a definition or related topics; undefined if there is none. */
function bestOf(answer: InstantAnswer): ToolOutput | undefined {
  const source = (url: string) => serviceSources(answer.Heading, url)
  if (answer.Answer) return { text: oneLine(answer.Answer, 2000) }
  if (answer.AbstractText) return { text: oneLine(answer.AbstractText, 2000), sources: source(answer.AbstractURL) }
  if (answer.Definition) return { text: oneLine(answer.Definition, 2000), sources: source(answer.DefinitionURL) }
  const topics = answer.RelatedTopics.flatMap((topic) => ('Topics' in topic ? topic.Topics : [topic]))
  const known = topics.filter((topic) => topic.Text !== '').slice(0, MAX_TOPICS)
  if (known.length === 0) return undefined
  const lines = known.map((topic) => `- ${oneLine(topic.Text, 300)}`)
  return {
    text: `Related topics:\n${lines.join('\n')}`,
    sources: known.flatMap((topic) => serviceSources(oneLine(topic.Text, 60), topic.FirstURL)),
  }
}

function nothing(query: string): ToolOutput {
  return { text: `DuckDuckGo has no instant answer for [${oneLine(query, 100)}]. Try a shorter name, or another tool.` }
}
