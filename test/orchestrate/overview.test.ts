import { describe, expect, test } from 'vitest';
import { describeGraph } from '../../src/orchestrate/orchestrate.js';
import { graphOf } from './graph/facts.js';

const task = (index: number, more: { tag?: string; verify?: string } = {}) =>
  `<task ${more.tag ?? ''}>\n<name>Task ${index}: Do ${index}</name>\n${more.verify === undefined ? '' : `<verify>${more.verify}</verify>\n`}</task>\n`;

const plan = (...tasks: string[]) => `---\nwave: 1\n---\n<tasks>\n${tasks.join('')}</tasks>\n`;

describe('what is shown before it begins', () => {
  test('each task with how it stands, what it waits for and what verifies it', () => {
    const { plans } = describeGraph(
      graphOf({
        '01-01': plan(
          task(1, { tag: 'status="completed"', verify: 'npm test' }),
          task(2, { verify: 'npm test' }),
          task(3, { tag: 'type="checkpoint:human-verify"' }),
          task(4, { verify: 'Look at it.' }),
        ),
      }),
    );
    expect(plans).toMatchObject([{ id: '01-01', phase: '1', wave: 1 }]);
    expect(plans[0]!.tasks).toEqual([
      {
        id: '01-01:1',
        name: 'Task 1: Do 1',
        status: 'done',
        isCheckpoint: false,
        verify: 'npm test',
        waitsOn: [],
      },
      {
        id: '01-01:2',
        name: 'Task 2: Do 2',
        status: 'ready',
        isCheckpoint: false,
        verify: 'npm test',
        waitsOn: [],
      },
      {
        id: '01-01:3',
        name: 'Task 3: Do 3',
        status: 'waiting',
        isCheckpoint: true,
        verify: null,
        waitsOn: ['01-01:2'],
      },
      {
        id: '01-01:4',
        name: 'Task 4: Do 4',
        status: 'waiting',
        isCheckpoint: false,
        verify: null,
        waitsOn: ['01-01:3'],
      },
    ]);
  });

  test('each command once, with all tasks that it verifies, and none of what is done', () => {
    const { commands } = describeGraph(
      graphOf({
        '01-01': plan(
          task(1, { tag: 'status="completed"', verify: 'npm run old' }),
          task(2, { verify: 'npm test' }),
          task(3, { verify: 'npm run lint' }),
        ),
        '01-02': plan(task(1, { verify: 'npm test' }), task(2)),
      }),
    );
    expect(commands).toEqual([
      { command: 'npm test', tasks: ['01-01:2', '01-02:1'] },
      { command: 'npm run lint', tasks: ['01-01:3'] },
    ]);
  });
});
