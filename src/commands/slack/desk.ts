/** What a person sits at. */
export interface Desk {
  say(text?: string): void
  ask(prompt: string, options?: { hidden?: boolean }): Promise<string>
  confirm(prompt: string, preset: boolean): Promise<boolean>
  /** Whether the address was opened in a browser. */
  open(address: string): Promise<boolean>
}
