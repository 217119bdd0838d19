import type { TestTerminal } from '../pty/terminal.js';

/** What the review after wrap shows, and what is typed then to leave it with the work kept. */
export const QUIT = [
  { shown: /q\s+quit/, typed: 'q' },
  { shown: /Why quit\?/, typed: '\r' },
] as const;

export async function quitReview(terminal: TestTerminal): Promise<void> {
  for (const { shown, typed } of QUIT) {
    await terminal.until(() => shown.test(terminal.history()), `${shown}`);
    terminal.send(typed);
  }
}
