import { describe, expect, test } from 'vitest';
import type { Action, CreateAction, ExecuteAction } from '../../../src/core/plan/types.js';
import { noPython } from '../pty/terminal.js';
import { HOSTILE_STRINGS, type HostileString } from './hostile-strings.js';
import { buildFixture, COMMAND, FILE, plan, question, READY, startReview, writeTools } from './review.js';

// Every sequence that a review itself may send: colours, moving within the foot, clearing, second screen, pastes.
const OURS = /\u001b\[(?:[0-9;]*[mACJH]|2J|\?(?:1049|2004|25|100[0-6])[hl])/g;
const HIDDEN =
  /[\u0000-\u0008\u000b-\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff\ufff9-\ufffb\u3164\u{e0000}-\u{e0fff}]/u;

/** What the terminal got, beyond our own sequences, holds nothing that it would act on or hide. */
function expectHarmless(raw: string): void {
  const text = Buffer.from(raw, 'latin1').toString('utf8').replace(OURS, '');
  expect(HIDDEN.exec(text)?.[0]).toBeUndefined();
}

function command(text: string): ExecuteAction {
  return {
    ...(COMMAND as ExecuteAction),
    command: `${text}\n`,
    env: { VALUE: text },
    cwd: text,
    description: text,
  };
}

function file(text: string): CreateAction {
  return { ...(FILE as CreateAction), path: `docs/${text}`, content: `${text}\n`, description: text };
}

const onOneLine = ({ shown }: HostileString) => shown.join('<U+000A>').trimEnd();

describe.skipIf(noPython)(`${HOSTILE_STRINGS.length} hostile strings${noPython}`, () => {
  buildFixture();

  test('there are at least 40, each once', () => {
    expect(new Set(HOSTILE_STRINGS.map(({ text }) => text)).size).toBeGreaterThanOrEqual(40);
  });

  test.each([
    ['command, folder and environment', command],
    ['path and content', file],
  ])('in %s: every one is seen for what it is', async (_, make: (text: string) => Action) => {
    const steps = HOSTILE_STRINGS.map(({ text }, at) => ({
      ask: question(make(text), { number: at + 1, total: HOSTILE_STRINGS.length, hash: `hash ${text}` }),
    }));
    const { terminal, answers } = startReview({ steps }, { columns: 420, rows: 30 });
    for (const [at, hostile] of HOSTILE_STRINGS.entries()) {
      await terminal.shows(`${at + 1} of ${HOSTILE_STRINGS.length}  `);
      await terminal.until(() => /n skip/.test(terminal.rows()[terminal.cursor.row] ?? ''), 'the prompt');
      const screen = terminal.text().split(` ${at + 1} of ${HOSTILE_STRINGS.length}  `)[1]!;
      for (const line of hostile.shown) expect(screen, hostile.what).toMatch(bodyRow(line));
      const places = make === file ? [`  docs/${onOneLine(hostile)}`] : [`VALUE=${onOneLine(hostile)}`];
      for (const place of places) expect(screen, hostile.what).toContain(place);
      if (hostile.flag) expect(screen, hostile.what).toContain(hostile.flag);
      terminal.send('y');
      await terminal.until(() => answers().length > at, 'the answer');
    }
    await terminal.ended;
    expect(answers()).toEqual(
      HOSTILE_STRINGS.map(({ text }) => ({ decision: 'approve', by: 'person', hash: `hash ${text}` })),
    );
    expectHarmless(terminal.raw);
  });

  test('in title, metadata, rationale, memos, risks and messages', async () => {
    const all = HOSTILE_STRINGS.map(({ text }) => text).join(' | ');
    const chat: Action = { type: 'CHAT_WITH_USER', line: 1, metadata: {}, message: `${all}\n\n    ${all}\n` };
    const { terminal } = startReview(
      {
        overview: {
          plan: plan([chat], { title: all, metadata: { Status: all }, rationale: all }),
          issues: [{ code: 'find-missing', severity: 'warning', message: all, hint: all, line: 1 } as never],
          previews: [],
        },
        steps: [
          { ask: { kind: 'state', section: 'Memos', changes: `[+] ${all}\n`, hash: 'm' } },
          { event: { kind: 'action-started', number: 1, total: 1, type: 'EXECUTE', label: all } },
          { event: { kind: 'output', number: 1, stream: 'stdout', text: all } },
          { event: { kind: 'output', number: 1, stream: 'stderr', text: `${all}\r\n${all}` } },
          { ask: question(chat, { risks: [{ kind: 'network', message: all }] }) },
        ],
      },
      { columns: 420, rows: 60 },
    );
    await terminal.shows(/Enter start review|n skip/);
    if (terminal.text().includes('Enter start')) terminal.send('\r');
    await terminal.shows(READY);
    const shown = terminal.history().replace(/\n {2}/g, '');
    for (const hostile of HOSTILE_STRINGS.filter(({ text }) => text.length < 40))
      expect(shown, hostile.what).toContain(onOneLine(hostile));
    terminal.send('y');
    await terminal.shows('Your reply');
    terminal.send('\u001b');
    await terminal.shows('Enter reply');
    terminal.send('v');
    await terminal.shows('q: back');
    terminal.send('q');
    await terminal.shows('Enter reply');
    terminal.send('\u0003');
    await terminal.ended;
    expectHarmless(terminal.raw);
  });

  test('an edited action keeps every byte that was not edited', async () => {
    const text = HOSTILE_STRINGS.map((hostile) => hostile.text).join('\n');
    const action = { ...(COMMAND as ExecuteAction), command: `${text}\n` };
    const PATH = writeTools({ ed1: `sed -i 's/Run the tests/Run all tests/' "$1"` });
    const { terminal, answers } = startReview(
      { steps: [{ ask: question(action) }] },
      { env: { EDITOR: 'ed1', PATH }, rows: 60 },
    );
    await terminal.shows(READY);
    terminal.send('e');
    await terminal.shows('(as you edited it)');
    await terminal.shows(READY);
    terminal.send('y');
    await terminal.ended;
    expect(answers()[0]).toMatchObject({
      decision: 'replace',
      action: { description: 'Run all tests.', command: action.command, line: action.line },
    });
  });
});

/** A row of ours, then the text and nothing else. */
function bodyRow(line: string): RegExp {
  return new RegExp(`[│┊] ?${line.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}·*(\\n|$)`);
}
