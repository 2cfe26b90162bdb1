/** How the setup talks to a person. */
export interface Desk {
  say(text?: string): void
  ask(prompt: string, options?: { hidden?: boolean }): Promise<string>
  confirm(prompt: string, preset: boolean): Promise<boolean>
  /** Resolves to whether the address was opened in a browser. */
  open(address: string): Promise<boolean>
}
