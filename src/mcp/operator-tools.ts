import type { OperatorPlace } from './operator.ts'
export async function listTools(_place: OperatorPlace, _name?: string): Promise<number> {
  return 1
}
export async function acceptTools(_place: OperatorPlace, _server: string, _tool?: string): Promise<number> {
  return 1
}
