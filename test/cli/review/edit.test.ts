import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeWait } from '../../../src/node/terminal/editor.js';
import { noPython } from '../pty/terminal.js';
import { buildFixture, CHAT, COMMAND, FILE, question, READY, startReview, writeTools } from './review.js';

describe.skipIf(noPython)(`editing in a review${noPython}`, () => {
  buildFixture();

  function edit(tools: Record<string, string>, env: Record<string, string>, action = COMMAND) {
    const PATH = writeTools(tools);
    return startReview({ steps: [{ ask: question(action) }] }, { env: { ...env, PATH }, rows: 40 });
  }

  test('the edited action is asked about again, as it is now', async () => {
    const { terminal, answers, folder, drafts } = edit(
      { ed1: `sed -i 's/npm test/npm run check/' "$1"` },
      { EDITOR: 'ed1' },
    );
    await terminal.shows(READY);
    terminal.send('e');
    await terminal.shows('EXECUTE  (as you edited it)');
    await terminal.shows('npm run check');
    await terminal.shows(READY);
    terminal.send('y');
    await terminal.ended;
    expect(answers()).toEqual([
      {
        decision: 'replace',
        action: expect.objectContaining({
          command: 'npm ci\nnpm run check\n',
          line: 40,
          cwd: 'packages/core',
          env: { CI: '1' },
          timeout: 60,
        }),
      },
      { decision: 'approve', by: 'person', hash: 'edited' },
    ]);
    expect(drafts('action-1.md')).toContain('npm run check');
    expect(statSync(join(folder, 'drafts/action-1.md')).mode & 0o777).toBe(0o600);
  });

  test('VISUAL comes before EDITOR, and may have words and quotes', async () => {
    const { terminal, answers } = edit(
      { ed1: `sed -i "s/npm test/$1 $2/" "$3"`, ed2: 'exit 3' },
      { VISUAL: `ed1 one 'two words'`, EDITOR: 'ed2' },
    );
    await terminal.shows(READY);
    terminal.send('e');
    await terminal.shows('one two words');
    terminal.send('\u0003');
    await terminal.ended;
    expect(answers()[0]).toMatchObject({ action: { command: 'npm ci\none two words\n' } });
  });

  test('unchanged: back to the question', async () => {
    const { terminal, answers } = edit({ ed1: 'sleep 1.2' }, { EDITOR: 'ed1' });
    await terminal.shows(READY);
    terminal.send('e');
    await terminal.shows('Nothing was changed.');
    expect(answers()).toEqual([]);
    terminal.send('y');
    await terminal.ended;
    expect(answers()).toEqual([{ decision: 'approve', by: 'person', hash: 'h1' }]);
  });

  test('an editor that forks is waited for', async () => {
    const { terminal, answers } = edit(
      { ed1: `(sleep 0.7; sed -i 's/npm test/npm later/' "$1") > /dev/null 2>&1 < /dev/null &` },
      { EDITOR: 'ed1' },
    );
    await terminal.shows(READY);
    terminal.send('e');
    await terminal.shows('The editor returned at once');
    await new Promise((resolve) => setTimeout(resolve, 1000));
    terminal.send('\r');
    await terminal.shows('npm later');
    await terminal.shows(READY);
    terminal.send('y');
    await terminal.ended;
    expect(answers()[0]).toMatchObject({ decision: 'replace', action: { command: 'npm ci\nnpm later\n' } });
  });

  test('a draft that cannot be read says why, and is offered again', async () => {
    const { terminal, answers, drafts, folder } = edit(
      // The first time it breaks the draft, the second time it mends it.
      {
        ed1: `if grep -q EXECUTE "$1"; then sed -i 's/EXECUTE/EXPLODE/' "$1"; else sed -i 's/EXPLODE/EXECUTE/; s/npm test/npm mended/' "$1"; fi`,
      },
      { EDITOR: 'ed1' },
    );
    await terminal.shows(READY);
    terminal.send('e');
    await terminal.shows('Your draft cannot be used as it is');
    await terminal.shows('e edit again');
    expect(terminal.text()).toContain('EXPLODE');
    expect(terminal.text()).toContain('action-1.md');
    terminal.send('e');
    await terminal.shows('npm mended');
    await terminal.shows(READY);
    terminal.send('y');
    await terminal.ended;
    expect(answers()[0]).toMatchObject({ action: { command: 'npm ci\nnpm mended\n' } });
    expect(readdirSync(join(folder, 'drafts'))).toEqual(['action-1.md']);
    expect(drafts('action-1.md')).toContain('npm mended');
  });

  test('dropped, the draft stays and the action is what it was', async () => {
    const { terminal, answers, drafts } = edit({ ed1: `echo garbage > "$1"` }, { EDITOR: 'ed1' });
    await terminal.shows(READY);
    terminal.send('e');
    await terminal.shows('d drop it');
    terminal.send('d');
    await terminal.shows('Dropped. Your draft is still in');
    expect(terminal.text()).toContain('npm test');
    terminal.send('y');
    await terminal.ended;
    expect(answers()).toEqual([{ decision: 'approve', by: 'person', hash: 'h1' }]);
    expect(drafts('action-1.md')).toBe('garbage\n');
  });

  test('the type of an action may not change', async () => {
    const other = '### `PRUNE`\\n- **Resource:** [a.md](/a.md)\\n';
    const { terminal } = edit({ ed1: `printf '${other}' > "$1"` }, { EDITOR: 'ed1' });
    await terminal.shows(READY);
    terminal.send('e');
    await terminal.shows('The action is now PRUNE; it must stay EXECUTE.');
    terminal.send('\u0003');
    expect(await terminal.ended).toEqual({ exit: 130, signal: null });
  });

  test.each([
    ['ends with 1', { EDITOR: 'ed1' }, 'The editor exited with 1'],
    [
      'is not there',
      { EDITOR: 'no-such-editor --flag' },
      'no-such-editor --flag was not found: set VISUAL or EDITOR',
    ],
    ['is killed', { EDITOR: 'ed2' }, 'The editor exited with 137'],
  ])('an editor that %s changes nothing', async (_, env, words) => {
    const { terminal, answers } = edit({ ed1: `echo lost >> "$1"; exit 1`, ed2: 'kill -9 $$' }, env);
    await terminal.shows(READY);
    terminal.send('e');
    await terminal.shows(words);
    terminal.send('y');
    await terminal.ended;
    expect(answers()).toEqual([{ decision: 'approve', by: 'person', hash: 'h1' }]);
  });

  test('no editor at all: says how to set one', async () => {
    const { terminal } = startReview(
      { steps: [{ ask: question(COMMAND) }] },
      { shell: (program) => `PATH=/nonexistent EDITOR= ${program}` },
    );
    await terminal.shows(READY);
    terminal.send('e');
    await terminal.shows('No editor was found: set VISUAL or EDITOR');
    terminal.send('\u0003');
    await terminal.ended;
  });

  test('an editor that leaves the terminal raw and mad', async () => {
    const { terminal, answers } = edit(
      { ed1: `stty raw -echo; printf '\\033[?1000h\\033[?25l\\033[31m'; sed -i s/hello/salut/ "$1"` },
      { EDITOR: 'ed1' },
      FILE,
    );
    await terminal.shows(READY);
    terminal.send('e');
    await terminal.shows('(as you edited it)');
    await terminal.shows(READY);
    terminal.send('y');
    await terminal.ended;
    expect(answers()).toHaveLength(2);
    expect(terminal.raw.lastIndexOf('\u001b[?1000l')).toBeGreaterThan(
      terminal.raw.lastIndexOf('\u001b[?1000h'),
    );
  });

  test('a reply may be written in the editor, and is shown before it is sent', async () => {
    const { terminal, answers } = edit(
      { ed1: `printf 'First line.\\n\\nThird: grün\\n' > "$1"` },
      { EDITOR: 'ed1' },
      CHAT,
    );
    await terminal.shows('Ctrl-G: editor');
    terminal.send('\u0007');
    await terminal.shows('Third: grün');
    await terminal.shows('Your reply');
    terminal.send('\u0004');
    await terminal.ended;
    expect(answers()).toEqual([
      { decision: 'approve', by: 'person', hash: 'h1', reply: 'First line.\n\nThird: grün' },
    ]);
  });
});

test.each([
  ['code', 'code --wait'],
  ['/usr/local/bin/code --new-window', '/usr/local/bin/code --new-window --wait'],
  ['code -w', 'code -w'],
  ['subl', 'subl --wait'],
  ['gvim', 'gvim -f'],
  ['zed --wait', 'zed --wait'],
  ['vim', 'vim'],
  ['emacsclient -t', 'emacsclient -t'],
])('%s becomes %s', (command, waiting) => expect(makeWait(command)).toBe(waiting));
