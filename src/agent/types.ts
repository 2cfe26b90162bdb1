/**
 * The contracts of the agent. Everything here is plain data or a seam with at least two implementations;
 * nothing here knows of Slack, Redis or OpenAI.
 */
export type * from './contracts/dialect-contract.ts'
export type * from './contracts/model-contract.ts'
export type * from './contracts/run-events.ts'
export type * from './contracts/tool-contract.ts'
