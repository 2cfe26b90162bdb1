/**
 * The contracts of the agent: plain data, or seams with at least two implementations. They are independent of Slack,
 * Redis and OpenAI.
 */
export type * from './contracts/dialect-contract.ts'
export type * from './contracts/model-contract.ts'
export type * from './contracts/run-events.ts'
export type * from './contracts/tool-contract.ts'
