// A program for tests: reads texts at its controlling terminal, or shows the progress of work that is none.
import { startProgress } from '../../../src/faces/cli/terminal/progress-line.js';
import { openScreen } from '../../../src/faces/cli/terminal/screen.js';
import { type TypedText, typeText } from '../../../src/faces/cli/terminal/text-area.js';

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function typeTexts(): Promise<void> {
  const screen = openScreen({ color: true })!;
  screen.openKeyboard();
  const typed: TypedText[] = [];
  const changes: string[] = [];
  const history: string[] = [];
  do {
    const onChange = (text: string) => changes.push(text);
    typed.push(await typeText(screen, { title: 'Text', history, onChange }));
    history.push(typed.at(-1)!.text);
  } while (typed.at(-1)!.status === 'done');
  screen.close();
  process.stdout.write(`\n${JSON.stringify({ typed, last: changes.at(-1) })}\n`);
}

async function showProgress(): Promise<void> {
  const progress = startProgress('Reading files', { color: true, afterMs: 0 });
  progress.update('Reading files', { done: 3, of: 1200, unit: 'files' });
  await pause(400);
  progress.print('A note.\n');
  progress.update('Writing big.bin', { done: 4_200_000, of: 10_000_000, unit: 'bytes' });
  await pause(1200);
  progress.end();
  process.stderr.write('Done.\n');
}

void (process.argv[2] === 'progress' ? showProgress() : typeTexts());
