import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { copyExamples } from '../copy-examples.js';
import { drawScreen } from './draw-screen.js';
import { PtyScreen } from './pty-screen.js';

const COLUMNS = 90;
const ROWS = 60;

/**
 * The picture of a review: the question about the EDIT of examples/first-turn, as the real program shows it in a real
 * pseudo-terminal. The same bytes each time.
 */
export async function makePicture(root: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'teddy-picture-'));
  copyExamples(root, folder);
  const screen = new PtyScreen(root, [process.execPath, join(root, 'bin/teddy.cjs'), 'execute', 'plan.md'], {
    columns: COLUMNS,
    rows: ROWS,
    cwd: join(folder, 'examples/first-turn'),
    env: {
      PATH: process.env.PATH ?? '',
      HOME: folder,
      TERM: 'xterm-256color',
      LANG: 'C.UTF-8',
    },
  });
  try {
    for (const question of ['Memos', '1 of 5', '2 of 5']) {
      await screen.shows(asks(question));
      screen.type('y');
    }
    await screen.shows(asks('3 of 5'));
    const rows = screen.cells();
    const texts = rows.map((row) => row.map(({ text }) => text).join(''));
    const from = texts.findLastIndex((text) => /2\/5 CREATE/.test(text));
    const to = texts.findLastIndex((text) => text.trim() !== '');
    return drawScreen(rows.slice(from, to + 1), {
      columns: COLUMNS,
      title: 'teddy execute plan.md',
      about:
        'A review in the terminal: teddy shows an edit of src/count.js as a diff and asks for a decision.',
    });
  } finally {
    await screen.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The question with this rule above it, and below it the keys. */
function asks(question: string): RegExp {
  return new RegExp(`── ${question} .*\\n(?:(?!── )[^\\n]*\\n)*[^\\n]*y\\sapprove`);
}
