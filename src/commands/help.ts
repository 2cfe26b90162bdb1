/** Whether the arguments of a command ask for its usage. */
export function asksHelp(args: string[]): boolean {
  return args.includes('--help') || args.includes('-h')
}
