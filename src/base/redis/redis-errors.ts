/**
 * What the errors of Redis mean. A reply of Redis begins with a code in capitals, which is part of its protocol. What ioredis
 * (read in 6.0.0) and OpenSSL say has no code and no class of its own, only a text: this file alone knows those texts.
 */
import { messageOf, TransientError } from '../errors.ts'

/** A script of Redis 6 wraps the code of what it met: "ERR Error running script (call to f_…): @user_script:1: -OOM …". */
const IN_SCRIPT = '^(?:ERR Error running script.*?-)?'

/** Away, full or failing over: these pass, and the command itself is not at fault. */
const TRANSIENT_CODES = new RegExp(
  `${IN_SCRIPT}(?:OOM|READONLY|MISCONF|NOREPLICAS|LOADING|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|BUSY|UNBLOCKED)\\b`,
)
const TRANSIENT_TEXTS = [
  /^(?:Connection is closed|Command timed out|Socket timeout|Stream isn't writeable|Reached the max retries per request)/,
  /^(?:Too many Cluster redirections|Cluster isn't ready|None of startup nodes|Failed to refresh slots cache)/,
]

/** Whether an error only means that a store is away, full or failing over. */
export function isTransient(error: unknown): boolean {
  if (error instanceof TransientError) return true
  return error instanceof Error && [TRANSIENT_CODES, ...TRANSIENT_TEXTS].some((known) => known.test(error.message))
}

const READ_ONLY = new RegExp(`${IN_SCRIPT}READONLY\\b`)

/** Whether the node that was asked is a replica, such as a master that lost its place in a failover. */
export function isReadOnly(error: Error): boolean {
  return READ_ONLY.test(error.message)
}

/** Whether Redis refuses us for good: a password, a right, a mode. `fault` is what `faultOf` says. */
export function isRefusal(fault: string): boolean {
  return /WRONGPASS|NOAUTH|NOPERM|ERR AUTH|invalid password|cluster support disabled/i.test(fault)
}

/** Whether a certificate is not trusted, in OpenSSL's words or Node's: not signed by anybody known, expired, of another name. */
export function isUntrusted(fault: string): boolean {
  return /certificate/i.test(fault)
}

/** A Cluster's own error says no more than that its slots are not known; what a node said stands in it. */
export function faultOf(error: Error): string {
  return messageOf('lastNodeError' in error && error.lastNodeError ? error.lastNodeError : error)
}
