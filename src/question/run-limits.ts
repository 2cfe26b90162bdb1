import type { RunLimits } from '../agent/run-state.ts'
import type { Config } from '../config.ts'

/** The budget of one run, from the settings. */
export function limitsOf(config: Config): RunLimits {
  return {
    maxSteps: config.AGENT_MAX_STEPS,
    timeoutMs: config.AGENT_TIMEOUT_MS,
    toolTimeoutMs: config.TOOL_TIMEOUT_MS,
    toolOutputChars: config.TOOL_OUTPUT_CHARS,
    ...(config.RUN_MAX_TOKENS === undefined ? {} : { maxTokens: config.RUN_MAX_TOKENS }),
    ...(config.RUN_MAX_USD === undefined ? {} : { maxCostUsd: config.RUN_MAX_USD }),
  }
}
