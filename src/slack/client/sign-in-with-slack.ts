/**
 * Sign in with Slack (OpenID Connect): shows in the browser who a person is.
 * https://docs.slack.dev/authentication/sign-in-with-slack
 */
import { createHash } from 'node:crypto'
import { z } from 'zod'
import { ToolError } from '../../base/errors.ts'
import { newState } from '../../base/http/oauth-states.ts'
import { parseJson } from '../../base/parse-json.ts'
import type { Config } from '../../config.ts'
import type { IdentityProof } from '../../question/connections/login-flow.ts'
import { exchange } from './search-grant.ts'
import { SlackWeb, type ApiOptions } from './web-api.ts'

const answerSchema = z.object({ id_token: z.string() })
const claimsSchema = z.object({
  nonce: z.string(),
  'https://slack.com/user_id': z.string(),
  'https://slack.com/team_id': z.string(),
  'https://slack.com/enterprise_id': z.string().optional().catch(undefined),
})
const flowSchema = z.object({ callback: z.string(), nonce: z.string() })

interface SlackIdentityOptions extends Pick<ApiOptions, 'log' | 'now' | 'fetch'> {
  /** Returns the organisation of a team, in which a person has one id. */
  enterpriseOf: (team: string) => Promise<string | undefined>
}

/** Undefined without the client of a distributed app. */
export function openSlackIdentity(config: Config, options: SlackIdentityOptions): IdentityProof | undefined {
  const { SLACK_CLIENT_ID: clientId, SLACK_CLIENT_SECRET: clientSecret, SLACK_API_URL: apiUrl } = config
  if (!clientId || !clientSecret) return undefined
  const web = new SlackWeb({ ...options, apiUrl, token: '' })
  return {
    begin({ team }, callback) {
      const [state, nonce] = [newState(), newState()]
      const address = new URL('/openid/connect/authorize', apiUrl)
      const asked = { response_type: 'code', scope: 'openid', client_id: clientId, redirect_uri: callback }
      for (const [name, value] of Object.entries({ ...asked, state, nonce: digest(nonce), team }))
        address.searchParams.set(name, value)
      return { address, state, flow: { callback, nonce } }
    },
    async check(person, flow, answer) {
      const { callback, nonce } = flowSchema.parse(flow)
      const args = { client_id: clientId, client_secret: clientSecret, code: answer.get('code') ?? '' }
      const claims = claimsOf(await exchange('openid.connect.token', { ...args, redirect_uri: callback }, web))
      const places = [claims?.['https://slack.com/team_id'], claims?.['https://slack.com/enterprise_id']]
      const isHere = places.includes(person.team) || places.includes((await options.enterpriseOf(person.team)) ?? '')
      if (!isHere || claims?.['https://slack.com/user_id'] !== person.user || claims.nonce !== digest(nonce))
        throw new ToolError('In the browser you are signed in to Slack as somebody else, or to another workspace.')
    },
  }
}

/**
 * The claims of the token. It came from Slack itself over TLS, so its signature need not be checked (OpenID, 3.1.3.7).
 */
function claimsOf(answer: unknown): z.infer<typeof claimsSchema> | undefined {
  const { data } = answerSchema.safeParse(answer)
  const [, payload = ''] = data?.id_token.split('.') ?? []
  return claimsSchema.safeParse(parseJson(Buffer.from(payload, 'base64url').toString('utf8'))).data
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}
