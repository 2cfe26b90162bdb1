import ledger from './ledger.js'

/** The same, but a person must allow each use. */
export default { ...ledger, name: 'guarded_ledger', needsApproval: true }
