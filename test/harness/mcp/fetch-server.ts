import { bridge, type FetchHandler } from '../../../playground/base/fetch-bridge.ts'
import { listen, type LoopbackServer } from '../../../playground/base/loopback-server.ts'
import type { Ends } from '../ends.ts'

/** Serves it over HTTP on 127.0.0.1, under any path, until the test ends. */
export async function serveFetch(t: Ends, answer: FetchHandler): Promise<LoopbackServer> {
  const listening = await listen((request, response) => void bridge(request, response, answer))
  t.onTestFinished(() => listening.close())
  return listening
}
