/**
 * A GitHub user's public profile, like the GithubUserInfoTool of "LLM ReAct 模式的实现":
 * https://docs.github.com/en/rest/users/users
 */
import { z } from 'zod'
import type { Fetched, Tool, ToolOutput } from '../src/agent/contracts/tool.ts'
import { ToolError } from '../src/base/errors.ts'
import { oneLine, parseServiceJson, serviceSources } from './service-response.ts'
import { queryText } from './query-text.ts'
import { serviceOf, type ToolParts } from './tool-settings.ts'
import { defineTool } from '../src/agent/define-tool.ts'

const GITHUB = 'https://api.github.com'

/** Letters, digits and single hyphens, 39 at most. Managed company accounts end in `_` and a short code. */
const LOGIN = /^(?=.{1,39}$)[a-z\d]+(?:-[a-z\d]+)*(?:_[a-z\d]+)?$/i

const words = z.string().nullish().catch(undefined)
const count = z.number().optional().catch(undefined)

/** The fields that are shown, in this order; empty ones are left out. */
const profileSchema = z.object({
  login: z.string(),
  name: words,
  type: words,
  company: words,
  location: words,
  bio: words,
  blog: words,
  followers: count,
  following: count,
  public_repos: count,
  created_at: words,
})

/** Works on GitHub and, with GITHUB_API_URL, on GitHub Enterprise (`https://HOST/api/v3`). The token is optional. */
export function githubUser({ http, settings }: ToolParts): Tool {
  const { url, fetch } = serviceOf(http, settings.GITHUB_API_URL, GITHUB, { name: 'github_user' })
  const headers = {
    accept: 'application/vnd.github+json',
    'x-github-api-version': '2022-11-28',
    ...(settings.GITHUB_TOKEN ? { authorization: `Bearer ${settings.GITHUB_TOKEN}` } : {}),
  }

  return defineTool({
    name: 'github_user',
    title: 'GitHub users',
    description: "Gives a GitHub user's followers, repositories, location, etc. Input: the login.",
    schema: z.object({ login: queryText().describe('login') }),
    async run({ login: written }, { signal }) {
      const login = loginOf(written)
      const response = await fetch(`${url.replace(/\/+$/, '')}/users/${login}`, { headers, signal })
      if (response.status !== 200) throw new ToolError(refusal(response, login))
      return describe(parseServiceJson(response.body, 'github_user'))
    },
  })
}

/** Returns the login in a model's input: `tj`, `@tj`, `https://github.com/tj`. Nothing else reaches the address. */
function loginOf(given: string): string {
  const login = given
    .trim()
    .replace(/^(?:https?:\/\/)?(?:www\.)?github\.com\//i, '')
    .replace(/^@/, '')
    .replace(/\/+$/, '')
  if (!LOGIN.test(login))
    throw new ToolError(`"${oneLine(given, 60)}" is not a GitHub login: up to 39 letters, digits and single hyphens.`)
  return login
}

/** Explains a status. GitHub's own redirect finds a user who renamed the account. */
function refusal({ status, headers }: Fetched, login: string): string {
  if (status === 404) return `GitHub has no user "${login}".`
  if (status === 401) return 'GitHub does not accept the token in GITHUB_TOKEN.'
  if (headers['x-ratelimit-remaining'] === '0')
    return 'GitHub’s limit of requests an hour is used up; GITHUB_TOKEN raises it.'
  return `github_user was refused (${status}).`
}

/** Returns the profile as JSON, which the model there understood without help. */
function describe(json: unknown): ToolOutput {
  const { success, data } = profileSchema.safeParse(json)
  if (!success) throw new ToolError('github_user got an unreadable response.')
  const shown = Object.entries(data).filter(([, value]) => value !== undefined && value !== null && value !== '')
  const sources = serviceSources(`${data.login} on GitHub`, Object(json).html_url)
  return { text: JSON.stringify(Object.fromEntries(shown)), ...(sources.length > 0 && { sources }) }
}
