import ledger from './ledger.js'

/** The same tool, with an approval for each use. */
export default { ...ledger, name: 'guarded_ledger', needsApproval: true }
