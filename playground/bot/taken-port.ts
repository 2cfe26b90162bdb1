import { ConfigError } from '../../src/base/errors.ts'

/** Replaces an error of the page's start by a sentence if its port is in use. */
export function tellTaken(error: unknown, port: number): unknown {
  const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
  return isTaken ? new ConfigError(`Port ${port} is in use. Set PLAYGROUND_PORT to a free one.`) : error
}
