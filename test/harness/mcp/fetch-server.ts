import { bridge, type Answer } from '../../../src/playground/fetch-bridge.ts'
import { listen, type Listening } from '../../../src/playground/loopback-server.ts'
import type { Ends } from '../ends.ts'

/** Serves it over HTTP on 127.0.0.1, under any path, until the test ends. */
export async function serveFetch(t: Ends, answer: Answer): Promise<Listening> {
  const listening = await listen((request, response) => void bridge(request, response, answer))
  t.onTestFinished(() => listening.close())
  return listening
}
