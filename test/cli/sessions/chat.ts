import { onTestFinished } from 'vitest';
import { type ModelServer, type ModelStep, startModelServer } from '../../model-server.mjs';
import { TestTerminal } from '../pty/terminal.js';
import { TEDDY } from '../teddy.js';
import { Site, type SiteOptions } from './site.js';

const PROMPT = 'Message to assistant';

interface Chat {
  site: Site;
  model: ModelServer;
  open(...words: string[]): TestTerminal;
}

/** A project and a scripted model; `open` starts `teddy chat` in a pseudo-terminal. */
export async function beginChat(steps: ModelStep[], options: SiteOptions = {}): Promise<Chat> {
  const model = await startModelServer(steps);
  onTestFinished(() => model.close());
  const site = new Site({ 'README.md': 'A larder.\n' }, { url: model.url, ...options });
  const open = (...words: string[]) => {
    const terminal = new TestTerminal([process.execPath, TEDDY, 'chat', ...words, '--trust'], {
      cwd: site.root,
      env: site.env,
      columns: 100,
      rows: 40,
    });
    // What still writes would be in the way of removing the folder.
    onTestFinished(async () => {
      terminal.signal('KILL');
      await terminal.ended;
    });
    return terminal;
  };
  return { site, model, open };
}

/** Types a message at the prompt, and sends it once it is there. */
export async function say(terminal: TestTerminal, message: string): Promise<void> {
  await atPrompt(terminal);
  await submit(terminal, message);
}

/** The same in whatever text input is open. */
export async function submit(terminal: TestTerminal, text: string): Promise<void> {
  const shown = text.split('\n').at(-1)!.trim().slice(0, 60);
  terminal.send(text);
  await terminal.until(() => lastRow(terminal).includes(shown), 'what was typed');
  terminal.send('\r');
  await terminal.until(() => !lastRow(terminal).includes(shown), 'that it was sent');
}

export function lastRow(terminal: TestTerminal): string {
  return terminal.rows()[terminal.cursor.row] ?? '';
}

export async function atPrompt(terminal: TestTerminal): Promise<void> {
  await terminal.until(
    () => /^ {2}│/.test(lastRow(terminal)) && terminal.text().includes(PROMPT),
    'the prompt',
  );
}

/** At the prompt for a reply to a message of a plan, which is empty. */
export async function atReply(terminal: TestTerminal): Promise<void> {
  await terminal.until(
    () => /^ {2}│ *$/.test(lastRow(terminal)) && terminal.text().includes('Your reply'),
    'the reply',
  );
}
