import { readdirSync, readFileSync } from 'node:fs'

/** Returns the resident memory of a process and its descendants, in MiB. Shared pages count twice. 0 without /proc. */
export function treeMemory(root: number): number {
  const processes = numbersIn('/proc').flatMap((pid) => statOf(pid) ?? [])
  const tree = [root]
  for (const parent of tree) tree.push(...processes.filter((one) => one.parent === parent).map(({ pid }) => pid))
  return processes.reduce((sum, { pid, mebibytes }) => (tree.includes(pid) ? sum + mebibytes : sum), 0)
}

function numbersIn(folder: string): number[] {
  try {
    return readdirSync(folder)
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
  } catch {
    return []
  }
}

/** Returns undefined for a process that has just ended. */
function statOf(pid: number): { pid: number; parent: number; mebibytes: number } | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    const [parent, kibibytes] = ['PPid', 'VmRSS'].map((name) =>
      Number(new RegExp(`${name}:\\s*(\\d+)`).exec(status)?.[1]),
    )
    return parent === undefined || !kibibytes ? undefined : { pid, parent, mebibytes: kibibytes / 1024 }
  } catch {
    return undefined
  }
}

/** Returns the ids of the processes that a process has started. */
export function childrenOf(root: number): number[] {
  return numbersIn('/proc').flatMap((pid) => (statOf(pid)?.parent === root ? [pid] : []))
}
