import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import type { ActionRecord, Outcome } from '../../../src/core/report/record.js';
import type { RunEvent } from '../../../src/runs/events.js';
import { makeFolder } from '../../folder.js';
import { noPython } from '../pty/terminal.js';
import { buildFixture, COMMAND, FILE, plan, programOf, startReview } from './review.js';

const start = (
  number: number,
  type: Extract<RunEvent, { kind: 'action-started' }>['type'],
  label: string,
): { event: RunEvent } => ({
  event: { kind: 'action-started', number, total: 4, type, label },
});
const output = (
  number: number,
  text: string,
  stream: 'stdout' | 'stderr' = 'stdout',
): { event: RunEvent } => ({
  event: { kind: 'output', number, stream, text },
});
const end = (
  number: number,
  type: ActionRecord['type'],
  outcome: Outcome,
  decision: ActionRecord['decision'] = { status: 'approved', by: 'person' },
): { event: RunEvent } => ({
  event: {
    kind: 'action-ended',
    number,
    total: 4,
    label: type === 'EXECUTE' ? 'npm test' : 'src/a.ts',
    record: { type, line: 1, metadata: { 'File Path': '[src/a.ts](/src/a.ts)' }, decision, outcome },
  },
});

const STEPS = [
  start(1, 'EXECUTE', 'npm test'),
  output(1, 'one\ntw'),
  output(1, 'o\n\u001b[32mgreen\u001b[0m \u001b[2Jhome\n50%\r100%\r\nno newline'),
  output(1, 'to stderr\n', 'stderr'),
  end(1, 'EXECUTE', { status: 'success', summary: 'The command ended with exit code 0.' }),
  start(2, 'CREATE', 'src/a.ts'),
  end(2, 'CREATE', { status: 'success', summary: "File 'src/a.ts' created." }),
  start(3, 'EDIT', 'src/a.ts'),
  end(3, 'EDIT', {
    status: 'failure',
    summary: "File 'src/a.ts' was not changed.",
    error: { text: Array.from({ length: 9 }, (_, at) => `reason ${at + 1}\n`).join('') },
  }),
  end(4, 'CREATE', { status: 'not-run' }, { status: 'skipped', by: 'person', reason: 'not\nnow' }),
];

describe.skipIf(noPython)(`what is seen of a run${noPython}`, () => {
  buildFixture();

  test('starts, live output behind a bar, results, the beginning of an error', async () => {
    const overview = { plan: plan([COMMAND, FILE]), issues: [], previews: [] };
    const { terminal } = startReview({ overview, steps: STEPS }, { rows: 40 });
    await terminal.ended;
    const screen = terminal.text();
    expect(screen.slice(screen.indexOf('▸'))).toBe(
      [
        '▸ 1/4 EXECUTE npm test',
        '  │ one',
        '  │ two',
        '  │ green <U+001B>[2Jhome',
        '  │ 50%',
        '  │ 100%',
        '  ┃ to stderr',
        '  │ no newline',
        '✔ 1/4 EXECUTE npm test',
        '✔ 2/4 CREATE src/a.ts',
        "✘ 3/4 EDIT File 'src/a.ts' was not changed.",
        '  │ reason 1',
        '  │ reason 2',
        '  │ reason 3',
        '  │ reason 4',
        '  │ reason 5',
        '  │ reason 6',
        '  … 3 more lines in the report',
        '– 4/4 CREATE src/a.ts skipped: not now',
      ].join('\n'),
    );
    expect(screen).toContain('Say hello\n  Root       /srv/shop\n  Status     Green 🟢');
  });

  test('what takes long says for how long, in place', async () => {
    const steps = [
      start(1, 'READ', 'https://example.org'),
      { pauseMs: 4200 },
      end(1, 'READ', { status: 'success', summary: 'Read.' }),
    ];
    const { terminal } = startReview({ steps });
    await terminal.shows(/▸ 1\/4 READ https:\/\/example\.org\n\S Reading · 2s$/);
    await terminal.shows(/▸ 1\/4 READ https:\/\/example\.org\n\S Reading · 3s$/);
    await terminal.ended;
    expect(terminal.text()).toBe('✔ 1/4 READ src/a.ts');
  });

  test('a flood is not all shown, says so, and ends with its last lines', async () => {
    const text = Array.from({ length: 50_000 }, (_, at) => `row ${at + 1}\n`).join('');
    const steps = [
      start(1, 'EXECUTE', 'yes'),
      output(1, text),
      end(1, 'EXECUTE', { status: 'success', summary: 'Ended.' }),
    ];
    const { terminal } = startReview({ steps }, { rows: 40 });
    await terminal.ended;
    const history = terminal.history();
    const shown = history.match(/│ row \d+/g)!.length;
    const leftOut = Number(/… (\d+) lines not shown here/.exec(history)![1]);
    expect(shown + leftOut).toBe(50_000);
    expect(terminal.text()).toMatch(/│ row 49999\n {2}│ row 50000\n✔ 1\/4 EXECUTE npm test$/);
  });

  test('without an answer to wait for: one line each on standard error', async () => {
    const { terminal } = startReview({ progress: true, steps: STEPS }, { rows: 40 });
    await terminal.ended;
    expect(terminal.text()).toBe(
      [
        '▸ 1/4 EXECUTE npm test',
        '  │ one',
        '  │ two',
        '  │ green <U+001B>[2Jhome',
        '  │ 50%',
        '  │ 100%',
        '  ┃ to stderr',
        '  │ no newline',
        '1/4 EXECUTE npm test: done',
        '2/4 CREATE src/a.ts: done',
        "3/4 EDIT src/a.ts: failed: File 'src/a.ts' was not changed.",
        '4/4 CREATE src/a.ts: skipped: not now',
      ].join('\n'),
    );
  });

  test('and where standard error is no terminal, nothing but those', () => {
    const folder = makeFolder({ 'script.json': JSON.stringify({ progress: true, steps: STEPS }) });
    const [node, ...words] = programOf(folder).split(' ');
    const { stderr, stdout } = spawnSync(node!, words, {
      encoding: 'utf8',
      env: { LANG: 'C.UTF-8', TERM: 'xterm' },
    });
    expect(stdout).toBe('');
    expect(stderr.split('\n')).toEqual([
      '1/4 EXECUTE npm test: done',
      '2/4 CREATE src/a.ts: done',
      "3/4 EDIT src/a.ts: failed: File 'src/a.ts' was not changed.",
      '4/4 CREATE src/a.ts: skipped: not now',
      '',
    ]);
  });
});
